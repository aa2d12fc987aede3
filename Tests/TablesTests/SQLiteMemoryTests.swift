import Testing

@testable import Tables

@Suite("SQLite's memory")
struct SQLiteMemoryTests {
    @Test("what is kept for a thread that reads is given back when it ends")
    func end() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        try store.put(table, ["room", "1", nil])
        let fetch = Fetch(table, columns: [1], access: .scan)
        #expect(try store.makeReader().rows(fetch) == [["1"]])
        #expect(SQLiteMemory.isConfigured)
        #expect(SQLiteMemory.keptCount() > 0)
        SQLiteMemory.endThread()
        #expect(SQLiteMemory.keptCount() == 0)
    }
}
