import Testing

@testable import Tables

@Suite("Cache of fetches")
struct FetchCacheTests {
    @Test("a shape has one fetch, and another shape another")
    func shapes() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let cache = FetchCache(countMax: 10)
        let first = cache.fetch(table, columns: [0, 1], access: .primaryKey)
        #expect(cache.fetch(table, columns: [0, 1], access: .primaryKey) === first)
        let sort = SortShape(sortOperator: .eq, partCounts: [1])
        let others = [
            cache.fetch(table, columns: [1, 0], access: .primaryKey),
            cache.fetch(table, columns: [0, 1], access: .scan),
            cache.fetch(table, columns: [0, 1], access: .primaryKey, sort: sort),
            cache.fetch(table, columns: [0, 1], access: .primaryKey, descending: true),
            cache.fetch(table, columns: [0, 1], access: .primaryKey, continues: true),
        ]
        #expect(Set(([first] + others).map(ObjectIdentifier.init)).count == 6)
    }

    @Test("it keeps no more than its bound")
    func bound() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let cache = FetchCache(countMax: 2)
        func fetch(_ column: Int) -> Fetch { cache.fetch(table, columns: [column], access: .scan) }
        let first = fetch(0)
        _ = fetch(1)
        #expect(fetch(0) === first)
        _ = fetch(2)
        #expect(fetch(0) !== first)
        let none = FetchCache(countMax: 0)
        let scan = none.fetch(table, columns: [0], access: .scan)
        #expect(none.fetch(table, columns: [0], access: .scan) !== scan)
    }
}
