import Testing

@testable import Tables

@Suite("Reads find their rows by an index, in order, without a sorter")
struct AccessPathTests {
    private static let tables = [task, message, seat]

    /// The plan of a fetch, as SQLite explains it.
    private func explain(_ fetch: Fetch, in folder: TemporaryFolder) throws -> [String] {
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
        return try connection.rows("EXPLAIN QUERY PLAN " + fetch.sql, columns: 4).map {
            if case .text(let detail) = $0.values[3] { detail } else { "" }
        }
    }

    @Test("every access, sort operator, direction and continuation")
    func everyShape() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        for table in try store.migrate(to: Self.tables) {
            let item = Fetch(table, columns: [0], access: .item)
            #expect(try explain(item, in: folder).allSatisfy { $0.hasPrefix("SEARCH t USING") }, "\(item.sql)")
            let filter = ParameterizedCondition(.compare(column: 0, .eq, "x"), of: table.table).shape
            let queries = [Access.primaryKey] + table.table.indexes.indices.map { .index($0) }
            for access in queries {
                for sort in shapes(table, access) {
                    for descending in [false, true] {
                        for continues in [false, true] {
                            let fetch = Fetch(
                                table, columns: [0, 1], access: access, sort: sort, descending: descending,
                                continues: continues, filter: filter, filterDropsRows: true)
                            // The values of a list are looked for one by one; they are read from the statement.
                            let plan = try explain(fetch, in: folder).filter {
                                sort?.sortOperator != .isAny || !Self.isAboutValues($0)
                            }
                            let searches = plan.filter { $0.hasPrefix("SEARCH t USING") }
                            // The rest of the ties, and what lies beyond them, are two searches.
                            let steps = ["MERGE (UNION ALL)", "LEFT", "RIGHT"]
                            #expect(plan == searches || plan.filter { !searches.contains($0) } == steps)
                            #expect(plan == searches ? plan.count == 1 : searches.count == 2, "\(plan) \(fetch.sql)")
                            // The partition key and a bound, unless the partition key alone is unique.
                            let isBound = sort != nil || continues && (access != .primaryKey || table.key.sort != nil)
                            #expect(!isBound || searches.allSatisfy { $0.contains(" AND ") }, "\(plan) \(fetch.sql)")
                            if sort?.sortOperator == .isAny {
                                // Both attributes of the key are compared for equality in each of them.
                                #expect(
                                    searches.allSatisfy { $0.matches(of: /=\?/).count >= 2 },
                                    "\(plan) \(fetch.sql)")
                            }
                        }
                    }
                }
            }
            for descending in [false, true] {
                for continues in [false, true] {
                    let fetch = Fetch(
                        table, columns: [0], access: .scan, descending: descending, continues: continues)
                    let plan = try explain(fetch, in: folder)
                    #expect(plan.count == 1)
                    let search = "SEARCH t USING INTEGER PRIMARY KEY (rowid\(descending ? "<" : ">")?)"
                    #expect(plan[0] == (continues ? search : "SCAN t"))
                }
            }
        }
    }

    /// Whether a step reads the values of a list, which are in the statement, and no row of a table.
    private static func isAboutValues(_ step: String) -> Bool {
        ["LIST SUBQUERY", "CO-ROUTINE", "SCAN (subquery", "SCAN 3"].contains { step.hasPrefix($0) }
    }

    private func shapes(_ table: StoredTable, _ access: Access) -> [SortShape?] {
        let key: KeySchema
        if case .index(let index) = access { key = table.table.indexes[index].key } else { key = table.table.key }
        guard !key.sortKeys.isEmpty else { return [nil] }
        var shapes: [SortShape?] = [nil]
        for sortOperator in SortOperator.allCases {
            for count in 1...key.sortKeys.count {
                if sortOperator == .isAny, key.sortKeys.count > 1 { continue }
                let counts =
                    switch sortOperator {
                    case .between: [count, count]
                    case .isAny: [1, 1, 1]
                    default: [count]
                    }
                shapes.append(SortShape(sortOperator: sortOperator, partCounts: counts))
            }
        }
        return shapes
    }
}
