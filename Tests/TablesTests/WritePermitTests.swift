import Testing

@testable import Tables

@Suite("Writes that were planned before a migration")
struct WritePermitTests {
    private static let room = Table(
        name: "Room", columns: [Column(name: "id", type: .text), Column(name: "beds", type: .integer)],
        key: KeySchema(partitionKey: 0))
    private static let guest = Table(
        name: "Guest", columns: [Column(name: "id", type: .text)], key: KeySchema(partitionKey: 0))

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private func ids(_ store: SQLiteStore, _ table: StoredTable) throws -> [[Value]] {
        try store.makeReader().rows(Fetch(table, columns: [0], access: .scan))
    }

    @Test("a migration revokes the plans of the tables that it names: their writes change nothing, and new plans write")
    func revoked() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let old = try store.migrate(to: [Self.room, Self.guest])
        try store.put(old[0], ["a", 1])
        let new = try store.carryOut(MigrationRequest(revokedTables: ["Room"]), to: [Self.room, Self.guest]).tables
        #expect(code { try store.put(old[0], ["b", 1]) } == .superseded)
        for action in [Write.Action.update(key: ["a"], [(1, 2)]), .delete(key: ["a"])] {
            let write = Write(table: old[0], action: action, returning: [0])
            #expect(code { try store.perform(write) } == .superseded)
        }
        try store.put(old[1], ["g"])
        try store.put(new[0], ["c", 3])
        #expect(try ids(store, new[0]) == [["a"], ["c"]])
        // Plans of a migration that revokes nothing write as those before it do.
        let third = try store.migrate(to: [Self.room, Self.guest])
        try store.put(new[0], ["d", 4])
        try store.put(third[0], ["e", 5])
        #expect(try ids(store, new[0]).count == 4)
    }

    @Test("a migration that fails revokes nothing")
    func failed() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let old = try store.migrate(to: [Self.room])[0]
        var request = MigrationRequest(revokedTables: ["Room"])
        request.beforeSteps = { () throws(StoreError) in throw StoreError(.other, "No.") }
        #expect(code { _ = try store.carryOut(request, to: [Self.room]) } == .other)
        request = MigrationRequest(
            fills: [ColumnFill(table: "Room", column: "beds", value: .integer(1))], revokedTables: ["Room"])
        request.beforeCommit = { (_: () throws(StoreError) -> Void) throws(StoreError) in
            throw StoreError(.other, "No.")
        }
        #expect(code { _ = try store.carryOut(request, to: [Self.room]) } == .other)
        try store.put(old, ["a", nil])
        #expect(try store.makeReader().rows(Fetch(old, columns: [0, 1], access: .scan)) == [["a", nil]])
    }

    @Test("what is read before the first step is what the migration begins with")
    func before() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [Self.room])[0]
        for number in 0..<20 { try store.put(table, [.text("\(number)"), nil]) }
        var request = MigrationRequest()
        request.beforeSteps = { () throws(StoreError) in
            guard let survey = try StoreSurvey(folder: folder.path) else { return }
            var count = 0
            try survey.forEachItem(of: Self.room, columns: [0], among: [Self.room]) { _ in count += 1 }
            guard count == 20 else { throw StoreError(.other, "\(count) items") }
        }
        _ = try store.carryOut(request, to: [Self.room])
    }
}
