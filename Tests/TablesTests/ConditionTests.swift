import Testing

@testable import Tables

@Suite("Conditions have DynamoDB's two values")
struct ConditionTests {
    /// Column positions of `task`: text, integer, real, boolean, JSON.
    private static let columns = [2, 3, 4, 5, 6]

    private static let operands: [Value] =
        [
            "", "a", "b", "A", "ab", "ä", "%", "_", "a%", "10", "9", "a\0b", "\0", "\"; DROP TABLE Task; --",
            -1, 0, 1, 2, 10, 9_007_199_254_740_993, -0.5, 0.0, 0.5, 1.0, 2.0, .real(.nan),
        ] + Sample.jsonTexts.map { .text($0) }

    private static func values(of column: Int) -> [Value] {
        let fitting: [Value] =
            switch task.columns[column].type {
            case .text: ["a", "b", "ab", "ä", "ba", "A", "%", "10", "9", "a\0b", "\"; DROP TABLE Task; --", "true"]
            case .integer: [-1, 0, 1, 2, 10, 9_007_199_254_740_993]
            case .real: [-0.5, 0.0, 0.5, 1.0, 2.0, 1e300]
            case .boolean: [0, 1]
            case .json: Sample.jsonTexts.map { .text($0) }
            }
        return fitting + [.null]
    }

    private static func conditions(on column: Int) -> [Condition] {
        var conditions: [Condition] = [.attributeExists(column: column, true), .attributeExists(column: column, false)]
        for operand in operands + [.null] {
            conditions += Comparison.allCases.map { .compare(column: column, $0, operand) }
            conditions += [.contains(column: column, operand), .notContains(column: column, operand)]
            for other in [.null, 1, 1.0, "b"] as [Value] {
                conditions.append(.between(column: column, operand, other))
            }
            if case .text(let text) = operand { conditions.append(.beginsWith(column: column, text)) }
        }
        for wanted in [[], ["a"], ["b", "x"], ["ä\"\n", ""], [1, "10"], [.null]] as [[Value]] {
            conditions.append(.isAny(column: column, TextSet(wanted)))
        }
        conditions += AttributeType.allCases.map { .attributeType(column: column, $0) }
        for size: Int64 in -1...3 {
            conditions += Comparison.allCases.map { .size(column: column, $0, size) }
            conditions.append(.sizeBetween(column: column, size, 2))
        }
        return conditions
    }

    @Test("every operator, on every type, present and missing, as a filter and under NOT", arguments: columns)
    func everyOperator(column: Int) throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        let reader = try store.makeReader()
        let reference = ReferenceStore(task)
        let values = Self.values(of: column)
        for (index, value) in values.enumerated() {
            try store.perform(
                Write(table: table, action: .put([(0, .text("\(index)")), (1, "me"), (column, value)]), returning: []))
        }
        for condition in Self.conditions(on: column) {
            for condition in [condition, .not(condition)] {
                let expected = values.filter { value in
                    var row = [Value](repeating: .null, count: task.columns.count)
                    row[column] = value
                    return reference.isTrue(condition, of: row)
                }
                let filter = ParameterizedCondition(condition, of: task)
                for filterDropsRows in [false, true] {
                    let fetch = Fetch(
                        table, columns: [column], access: .scan, filter: filter.shape,
                        filterDropsRows: filterDropsRows, isShared: false)
                    #expect(try reader.rows(fetch, filter: filter.values).map { $0[0] } == expected, "\(condition)")
                }
            }
            let absent = [Value](repeating: .null, count: task.columns.count)
            #expect(condition.isTrueOfAbsentItem == reference.isTrue(condition, of: absent), "\(condition)")
        }
    }

    @Test("a filter that no row can meet leaves the index usable")
    func constantFilters() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        try store.put(table, ["1", "me", nil, 1, nil, nil, nil, "2020"])
        let reader = try store.makeReader()
        let cases: [(Condition, Bool)] = [
            (.and([]), true), (.or([]), false), (.not(.and([])), false), (.and([.or([]), .and([])]), false),
            (.or([.or([]), .and([])]), true), (.compare(column: 1, .eq, 1), false), (.compare(column: 1, .ne, 1), true),
        ]
        for (condition, isMet) in cases {
            let filter = ParameterizedCondition(condition, of: task).shape
            for access in [Access.primaryKey, .index(0), .index(2)] {
                let fetch = Fetch(table, columns: [0], access: access, filter: filter, filterDropsRows: true)
                #expect(try reader.rows(fetch, access == .primaryKey ? "1" : "me") == (isMet ? [["1"]] : []))
            }
            let item = Fetch(table, columns: [0], access: .item, filter: filter, filterDropsRows: true)
            #expect(try reader.row(item, ["1"]) == (isMet ? ["1"] : nil))
        }
    }

    @Test("a condition too wide or too deep is refused, one at the bound is carried out")
    func bounds() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        try store.put(table, ["1", "me", nil, 1, nil, nil, nil, nil])
        let reader = try store.makeReader()
        let term = Condition.compare(column: 6, .eq, "[1]")
        func nested(_ depth: Int) -> Condition {
            (1..<depth).reduce(term) { $1.isMultiple(of: 2) ? .and([.and([term]), $0]) : .or([term, $0]) }
        }
        func wide(_ nodes: Int) -> Condition { .and(Array(repeating: term, count: nodes - 1)) }
        for condition in [wide(Condition.nodesMax), nested(Condition.depthMax)] {
            let filter = ParameterizedCondition(condition, of: task)
            let fetch = Fetch(table, columns: [0], access: .scan, filter: filter.shape, isShared: false)
            _ = try reader.rows(fetch, filter: filter.values)
            let write = Write(
                table: table, action: .update(key: ["1"], [(2, "x")]), condition: condition, returning: [])
            #expect(try store.perform(write) == .conditionFailed())
        }
        for condition in [wide(Condition.nodesMax + 1), nested(Condition.depthMax + 1)] {
            let filter = ParameterizedCondition(condition, of: task)
            let fetch = Fetch(table, columns: [0], access: .scan, filter: filter.shape, isShared: false)
            #expect { try reader.rows(fetch) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
            let write = Write(table: table, action: .delete(key: ["1"]), condition: condition, returning: [])
            #expect { try store.perform(write) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
        }
    }

    @Test("a put's condition is about an item that is not there")
    func putCondition() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let cases: [(Condition, Bool)] = [
            (.attributeExists(column: 2, true), false), (.attributeExists(column: 2, false), true),
            (.compare(column: 2, .eq, "hello"), false), (.compare(column: 2, .ne, "hello"), true),
            (.notContains(column: 2, "x"), true), (.not(.beginsWith(column: 2, "x")), true),
        ]
        for (index, (condition, isMet)) in cases.enumerated() {
            let result = try store.put(table, ["room", .text("\(index)"), "hello"], if: condition)
            #expect((result != .conditionFailed()) == isMet, "\(condition)")
        }
    }
}
