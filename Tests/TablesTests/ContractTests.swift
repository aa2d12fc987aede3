import Testing

@testable import Tables

@Suite("Random operations give what the plain reference store gives")
struct ContractTests {
    @Test("writes, their results, and every read after them", arguments: [1, 2, 3] as [UInt64])
    func randomOperations(seed: UInt64) throws {
        // Printed with any failure, as the test's argument.
        var random = SeededGenerator(seed: seed)
        for table in [task, message, seat] {
            let folder = TemporaryFolder()
            let store = try SQLiteStore.open(folder)
            defer { store.close() }
            let stored = try store.migrate(to: [table])[0]
            let reader = try store.makeReader()
            var reference = ReferenceStore(table)
            for step in 1...400 {
                let action = action(on: table, &random)
                let condition = Int.random(in: 0..<3, using: &random) == 0 ? condition(on: table, 3, &random) : nil
                let expected = reference.perform(action, if: condition)
                let returning = Array(table.columns.indices)
                let result = try store.perform(
                    Write(table: stored, action: action, condition: condition, returning: returning))
                if case .item(let item, _) = result {
                    #expect(item.values == expected, "step \(step): \(action) if \(String(describing: condition))")
                } else {
                    #expect(expected == nil, "step \(step): \(action) if \(String(describing: condition))")
                }
                if step.isMultiple(of: 20) { try compareReads(stored, reader, reference, &random) }
            }
        }
    }

    private func compareReads(
        _ table: StoredTable, _ reader: Reader, _ reference: ReferenceStore, _ random: inout SeededGenerator
    ) throws {
        let columns = Array(table.table.columns.indices)
        let queries = [Access.scan, .primaryKey] + table.table.indexes.indices.map { .index($0) }
        for access in queries {
            let key: KeySchema? =
                switch access {
                case .scan, .item, .changes: nil
                case .primaryKey: table.table.key
                case .index(let index): table.table.indexes[index].key
                }
            let partitionKey = key.map { value(of: $0.partitionKey, in: table.table, &random) }
            for sort in [nil] + sortConditions(key, table.table, &random) {
                for descending in [false, true] {
                    let filter = Bool.random(using: &random) ? condition(on: table.table, 2, &random) : nil
                    let drops = Bool.random(using: &random)
                    let rows = reference.rows(
                        key: key, partitionKey: partitionKey ?? .null, sort: sort, descending: descending)
                    let expected = rows.map(\.values).filter { reference.isTrue(filter ?? .and([]), of: $0) }
                    let parameters = filter.map { ParameterizedCondition($0, of: table.table) }
                    func fetch(_ continues: Bool) -> Fetch {
                        Fetch(
                            table, columns: columns, access: access, sort: sort?.shape, descending: descending,
                            continues: continues, filter: parameters?.shape, filterDropsRows: drops, isShared: false)
                    }
                    let limit = Int.random(in: 1...5, using: &random)
                    let pages = try reader.pages(
                        fetch(false), fetch(true), partitionKey, sort, filter: parameters?.values ?? [], limit: limit)
                    #expect(pages == expected, "\(access) \(String(describing: sort)) \(descending)")
                    let batched = try reader.batchedPages(
                        fetch(false), fetch(true), partitionKey, sort, filter: parameters?.values ?? [], limit: limit)
                    #expect(batched == expected, "in waves: \(access) \(String(describing: sort)) \(descending)")
                }
            }
        }
        for row in reference.rows {
            let item = Fetch(table, columns: columns, access: .item)
            #expect(try reader.row(item, table.table.key.columns.map { row.values[$0] }) == row.values)
        }
        // All items in one wave, and one that is not there.
        let missing = table.table.key.columns.map { _ in Value.text("not there") }
        let keys = reference.rows.map { row in table.table.key.columns.map { row.values[$0] } } + [missing]
        let items = try reader.batch(
            BatchFetch(
                Fetch(table, columns: columns, access: .item), keys: keys.map { BatchFetch.Key($0) }, rowsMax: 1))
        for (index, row) in (reference.rows.map { $0.values as [Value]? } + [nil]).enumerated() {
            let cursor = BatchCursor(items, key: index)
            #expect(try (cursor.next() ? columns.map(cursor.value) : nil) == row)
        }
    }

    // MARK: Random things

    private func value(of column: Int, in table: Table, _ random: inout SeededGenerator) -> Value {
        switch table.columns[column].type {
        case .text: .text(["a", "b", "ab", "a#b", "10", "9", "ä", "a\0", "A"].randomElement(using: &random) ?? "")
        case .integer: .integer([1, 2, 9, 10, -1].randomElement(using: &random) ?? 0)
        case .real: Bool.random(using: &random) ? .real(0.5) : .integer(2)
        case .boolean: .integer(Bool.random(using: &random) ? 1 : 0)
        case .json: .text(Sample.jsonTexts.randomElement(using: &random) ?? "[]")
        }
    }

    private func action(on table: Table, _ random: inout SeededGenerator) -> Write.Action {
        let key = table.key.columns.map { value(of: $0, in: table, &random) }
        var attributes: [(column: Int, value: Value)] = []
        for column in table.columns.indices where !table.key.columns.contains(column) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: break
            case 1: attributes.append((column, .null))
            default: attributes.append((column, value(of: column, in: table, &random)))
            }
        }
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .delete(key: key)
        case 1, 2: .update(key: key, attributes)
        default: .put(zip(table.key.columns, key).map { ($0, $1) } + attributes)
        }
    }

    private func condition(on table: Table, _ depth: Int, _ random: inout SeededGenerator) -> Condition {
        func parts() -> [Condition] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in condition(on: table, depth - 1, &random) }
        }
        let column = table.columns.indices.randomElement(using: &random) ?? 0
        let own = value(of: column, in: table, &random)
        let other = value(of: table.columns.indices.randomElement(using: &random) ?? 0, in: table, &random)
        let operand = Int.random(in: 0..<4, using: &random) == 0 ? other : own
        let comparison = Comparison.allCases.randomElement(using: &random) ?? .eq
        let size = Int64.random(in: 0...3, using: &random)
        switch Int.random(in: depth > 0 ? 0..<13 : 3..<13, using: &random) {
        case 0: return .and(parts())
        case 1: return .or(parts())
        case 2: return .not(condition(on: table, depth - 1, &random))
        case 3, 4: return .compare(column: column, comparison, operand)
        case 5: return .between(column: column, operand, value(of: column, in: table, &random))
        case 6: return .contains(column: column, operand)
        case 7: return .notContains(column: column, operand)
        case 8: return .beginsWith(column: column, ["", "a", "1", "a#"].randomElement(using: &random) ?? "")
        case 9: return .attributeExists(column: column, Bool.random(using: &random))
        case 11: return .isAny(column: column, TextSet([operand, own]))
        case 10: return .attributeType(column: column, AttributeType.allCases.randomElement(using: &random) ?? .list)
        default: return .size(column: column, comparison, size)
        }
    }

    private func sortConditions(
        _ key: KeySchema?, _ table: Table, _ random: inout SeededGenerator
    ) -> [SortCondition] {
        guard let key, !key.sortKeys.isEmpty else { return [] }
        // A list of values is for simple sort keys.
        let operators = SortOperator.allCases.filter { $0 != .isAny || key.sortKeys.count == 1 }
        return operators.map { sortOperator in
            let count = Int.random(in: 1...key.sortKeys.count, using: &random)
            let operandCount =
                switch sortOperator {
                case .between: 2
                case .isAny: Int.random(in: 1...4, using: &random)
                default: 1
                }
            let operands = (0..<operandCount).map { _ in
                key.sortKeys.prefix(count).map { column -> Value in
                    let value = value(of: column, in: table, &random)
                    // As the column has it: a whole number is a real one there.
                    if case .integer(let number) = value, table.columns[column].type == .real {
                        return .real(Double(number))
                    }
                    return value
                }
            }
            return SortCondition(sortOperator: sortOperator, operands: operands)
        }
    }
}

extension Reader {
    /// All rows, page by page.
    func pages(
        _ first: Fetch, _ next: Fetch, _ partitionKey: Value?, _ sort: SortCondition?, filter: [Value], limit: Int
    ) throws -> [[Value]] {
        var rows: [[Value]] = []
        var position: Position?
        while true {
            beginRequest(budget: Budget())
            let fetch = position == nil ? first : next
            let cursor = try open(
                fetch, partitionKey: partitionKey.map { .value($0) }, sort: sort, after: position, filter: filter,
                limit: limit)
            defer { cursor.close() }
            var count = 0
            while try cursor.next() {
                count += 1
                if cursor.matches { rows.append(fetch.columns.indices.map(cursor.value)) }
            }
            if count < limit { return rows }
            position = cursor.position
        }
    }
}
