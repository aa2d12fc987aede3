import Testing

@testable import Tables

@Suite("A condition asked of a row in memory answers as its SQL does")
struct ConditionMemoryTests {
    /// Every type of column, none of them with a key's restrictions.
    private static let table = Table(name: "Row", columns: task.columns, key: KeySchema(partitionKey: 0))

    private static let texts: [String] = [
        "", "a", "b", "A", "ab", "ba", "aa", "ä", "a\u{308}", "%", "10", "9", "a\0b", "\0", "true", "\u{10FFFF}",
        "\"quoted\\", "line\nfeed",
    ]
    private static let integers: [Int64] = [
        .min, -9_007_199_254_740_993, -1, 0, 1, 2, 10, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
    ]
    private static let reals: [Double] = [
        -.infinity, -9_223_372_036_854_775_808, -1, -0.5, 0, 0.5, 1, 2, 10, 9_007_199_254_740_992,
        9_223_372_036_854_775_808, 1e300, .infinity,
    ]
    private static let jsonTexts =
        Sample.jsonTexts + [
            #"["ä"]"#, #"["a\u0308"]"#, #"["\u00e4","\u0000"]"#, "[9007199254740993]", "[9007199254740992.0]", "[0]",
            "[1e0]",
            #""text""#, "12", "-0.5", "true", "false", "null", "[[\"a\"]]", "[{}]",
        ]

    private static func value(in column: Int, _ random: inout SeededGenerator) -> Value {
        if Int.random(in: 0..<8, using: &random) == 0 { return .null }
        return switch Self.table.columns[column].type {
        case .text: .text(texts.randomElement(using: &random) ?? "")
        case .integer: .integer(integers.randomElement(using: &random) ?? 0)
        // What is stored is finite.
        case .real: .real(reals.filter(\.isFinite).randomElement(using: &random) ?? 0)
        case .boolean: .integer(Bool.random(using: &random) ? 1 : 0)
        case .json: .text(jsonTexts.randomElement(using: &random) ?? "[]")
        }
    }

    /// An operand of any type, mostly of the column's.
    private static func operand(for column: Int, _ random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .text(texts.randomElement(using: &random) ?? "")
        case 1: return .integer(integers.randomElement(using: &random) ?? 0)
        case 2: return .real(reals.randomElement(using: &random) ?? 0)
        case 3: return .real(.nan)
        case 4: return .text(jsonTexts.randomElement(using: &random) ?? "[]")
        default: return value(in: column, &random)
        }
    }

    private static func condition(_ depth: Int, _ random: inout SeededGenerator) -> Condition {
        func parts() -> [Condition] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in condition(depth - 1, &random) }
        }
        let column = Self.table.columns.indices.randomElement(using: &random) ?? 0
        let size = Int64.random(in: -1...3, using: &random)
        switch Int.random(in: depth > 0 ? 0..<15 : 3..<15, using: &random) {
        case 0: return .and(parts())
        case 1: return .or(parts())
        case 2: return .not(condition(depth - 1, &random))
        case 3, 4, 5:
            let comparison = Comparison.allCases.randomElement(using: &random) ?? .eq
            return .compare(column: column, comparison, operand(for: column, &random))
        case 6: return .between(column: column, operand(for: column, &random), operand(for: column, &random))
        case 7: return .contains(column: column, operand(for: column, &random))
        case 8: return .notContains(column: column, operand(for: column, &random))
        case 9: return .beginsWith(column: column, texts.randomElement(using: &random) ?? "")
        case 10:
            let count = Int.random(in: 0...4, using: &random)
            return .isAny(column: column, TextSet((0..<count).map { _ in operand(for: column, &random) }))
        case 11: return .attributeExists(column: column, Bool.random(using: &random))
        case 12: return .attributeType(column: column, AttributeType.allCases.randomElement(using: &random) ?? .list)
        case 13:
            return .size(column: column, Comparison.allCases.randomElement(using: &random) ?? .eq, size)
        default: return .sizeBetween(column: column, size, Int64.random(in: -1...3, using: &random))
        }
    }

    @Test(
        "random conditions hold of the random rows that their SQL finds, and of no others",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        // The seed is the test's argument, which is printed with a failure.
        var random = SeededGenerator(seed: seed)
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let stored = try store.migrate(to: [Self.table])[0]
        for index in 0..<40 {
            let values = Self.table.columns.indices.dropFirst().map { Self.value(in: $0, &random) }
            try store.put(stored, [.text("\(index)")] + values)
        }
        let reader = try store.makeReader()
        let columns = Array(Self.table.columns.indices)
        // Positions of a row that has the columns in another order.
        let reversed = Array(columns.reversed())
        let rows = try reader.rows(Fetch(stored, columns: columns, access: .scan))
        #expect(rows.count == 40)
        var metCount = 0
        for _ in 0..<600 {
            let condition = Self.condition(3, &random)
            let filter = ParameterizedCondition(condition, of: Self.table)
            let fetch = Fetch(stored, columns: columns, access: .scan, filter: filter.shape, isShared: false)
            reader.beginRequest(budget: Budget())
            let cursor = try reader.open(
                fetch, partitionKey: nil, sort: nil, after: nil, filter: filter.values, limit: 1_000)
            defer { cursor.close() }
            var index = 0
            while try cursor.next() {
                let item = Item(values: rows[index])
                #expect(item.values == columns.map { cursor.value($0) })
                #expect(condition.holds(of: item, in: Self.table) == cursor.matches, "\(condition) of \(item)")
                #expect(
                    filter.holds(of: cursor, in: Self.table) == cursor.matches, "\(condition) of the cursor at \(item)")
                let turned = Item(values: reversed.map { rows[index][$0] })
                #expect(filter.holds(of: turned, in: Self.table) { columns.count - 1 - $0 } == cursor.matches)
                if cursor.matches { metCount += 1 }
                index += 1
            }
            #expect(index == rows.count)
            let absent = Item(values: columns.map { _ in .null })
            #expect(condition.holds(of: absent, in: Self.table) == condition.isTrueOfAbsentItem, "\(condition)")
        }
        // Neither answer is so frequent that the other one was not tested.
        #expect((4_800...19_200).contains(metCount), "\(metCount) of 24,000")
    }

    @Test("a condition larger than SQL takes holds of nothing")
    func bounds() {
        let item = Item(values: Self.table.columns.map { _ in .null })
        let part = Condition.attributeExists(column: 0, false)
        #expect(Condition.and(Array(repeating: part, count: Condition.nodesMax - 1)).holds(of: item, in: Self.table))
        #expect(!Condition.and(Array(repeating: part, count: Condition.nodesMax)).holds(of: item, in: Self.table))
    }
}
