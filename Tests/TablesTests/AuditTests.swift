import Testing

@testable import Tables

@Suite("The audit log")
struct AuditTests {
    private func entry(_ action: String, at milliseconds: Int64 = 1_000) -> AuditEntry {
        AuditEntry(
            milliseconds: milliseconds, operator: "ada", role: "owner", action: action, target: "it",
            fields: ["name", "role"], requestID: "r-\(action)", address: "here")
    }

    @Test("entries come back in their order, in pages, and outlast the store")
    func order() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        #expect(try SQLiteStore.auditEntries(folder: folder.path, after: 0, countMax: 9).isEmpty)
        try store.addToAudit(["a", "b"].map { entry($0) })
        try store.addToAudit([entry("c")])
        store.close()
        let entries = try SQLiteStore.auditEntries(folder: folder.path, after: 0, countMax: 2)
        #expect(entries.map(\.action) == ["a", "b"] && entries.map(\.number) == [1, 2])
        var expected = entry("a")
        expected.number = 1
        #expect(entries.first == expected)
        let rest = try SQLiteStore.auditEntries(folder: folder.path, after: 2, countMax: 2)
        #expect(rest.map(\.action) == ["c"])
    }

    @Test("entries leave a year after they were made, and their numbers are not used again")
    func retention() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        let year = AuditEntry.keptSeconds * 1_000
        try store.addToAudit([entry("old", at: 0), entry("kept", at: 1)])
        try store.addToAudit([entry("new", at: year + 1)])
        let entries = try SQLiteStore.auditEntries(folder: folder.path, after: 0, countMax: 9)
        #expect(entries.map(\.action) == ["kept", "new"] && entries.map(\.number) == [2, 3])
        try store.addToAudit([entry("newest", at: 3 * year)])
        let last = try SQLiteStore.auditEntries(folder: folder.path, after: 0, countMax: 9)
        #expect(last.map(\.number) == [4])
    }

    @Test("a long text is cut, and a migration and a clear leave the log alone")
    func texts() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        try store.addToAudit([entry(String(repeating: "ä", count: 5_000))])
        _ = try store.migrate(to: [])
        let entries = try SQLiteStore.auditEntries(folder: folder.path, after: 0, countMax: 9)
        #expect(entries.first?.action == String(repeating: "ä", count: 2_048))
    }
}
