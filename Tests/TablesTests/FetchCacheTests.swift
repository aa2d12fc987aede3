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

    @Test("filters that differ in values alone have one fetch, a large filter has a new one each time")
    func filters() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let cache = FetchCache(countMax: 100)
        func fetch(_ condition: Condition) -> Fetch {
            let filter = ParameterizedCondition(condition, of: message)
            return cache.fetch(table, columns: [0], access: .primaryKey, filter: filter.shape)
        }
        let first = fetch(.compare(column: 2, .eq, "a"))
        #expect(fetch(.compare(column: 2, .eq, "b")) === first)
        #expect(fetch(.compare(column: 1, .eq, "a")) !== first)
        #expect(fetch(.compare(column: 2, .gt, "a")) !== first)
        // A text column never has a number, and SQL says so.
        #expect(fetch(.compare(column: 2, .eq, 1)) !== first)
        #expect(fetch(.compare(column: 2, .eq, nil)) !== first)
        func wide(_ count: Int) -> Condition {
            .or((0..<count).map { .compare(column: 2, .eq, .text("\($0)")) })
        }
        #expect(fetch(wide(ConditionShape.sharedNodesMax - 1)) === fetch(wide(ConditionShape.sharedNodesMax - 1)))
        #expect(fetch(wide(ConditionShape.sharedNodesMax)) !== fetch(wide(ConditionShape.sharedNodesMax)))
    }

    @Test("the fetch cache stays within its bound")
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
