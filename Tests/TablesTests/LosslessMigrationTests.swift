import JSON
import Testing

@testable import Tables

@Suite("A step that loses nothing keeps every item, readable")
struct LosslessMigrationTests {
    @Test("an item with an empty part of its composite key stays when another column is converted")
    func emptyPartOfCompositeKey() throws {
        let folder = TemporaryFolder()
        var table = Table(
            name: "T", columns: ["p", "a", "b", "c", "n"].map { Column(name: $0, type: $0 == "n" ? .integer : .text) },
            key: KeySchema(partitionKey: 0, sortKeys: [1, 2, 3]))
        let items: [[Value]] = [
            ["p", "a", "", "c", 1], ["p", "", "", "", 2], ["p", "", "b", "", nil], ["p", "a", "b", "c", 4],
        ]
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let before = try store.migrate(to: [table])[0]
        for item in items { try store.put(before, item) }
        table.columns[4].type = .text
        let after = try store.migrate(to: [table], allowing: .converts)[0]
        let reader = try store.makeReader()
        for item in items {
            let found = try reader.row(Fetch(after, columns: [0, 1, 2, 3], access: .item), Array(item.prefix(4)))
            #expect(found == Array(item.prefix(4)))
        }
        // A part of the key itself may be converted, too.
        table.columns[2].type = .json
        #expect(throws: StoreError.self) { try store.migrate(to: [table], allowing: .converts) }
        #expect(try reader.rows(Fetch(after, columns: [4], access: .scan)) == [["1"], ["2"], [nil], ["4"]])
    }

    @Test("a changed key removes the items that lack a part of it, and not those whose part is empty")
    func changedCompositeKey() throws {
        let folder = TemporaryFolder()
        var table = Table(
            name: "T", columns: ["p", "a", "b"].map { Column(name: $0, type: .text) },
            key: KeySchema(partitionKey: 0))
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let before = try store.migrate(to: [table])[0]
        for item in [["1", "", "b"], ["2", nil, "b"], ["3", "", ""]] as [[Value]] { try store.put(before, item) }
        table.key.sortKeys = [1, 2]
        let step = try survey(folder).plan(for: [table])[0]
        #expect(step.counts == MigrationStep.Counts(items: 3, removedItems: 1))
        #expect(step.losesData)
        let after = try store.migrate(to: [table], allowing: .losesData)[0]
        #expect(
            try store.makeReader().rows(Fetch(after, columns: [0], access: .scan)) == [["1"], ["3"]])
    }

    @Test("a copy that would keep fewer items than it should is undone as a whole")
    func stops() throws {
        let folder = TemporaryFolder()
        let connection: Connection
        do {
            let store = try SQLiteStore.open(folder)
            defer { store.close() }
            let table = try store.migrate(to: [message])[0]
            for index in 0..<3 { try store.put(table, ["r", .text("\(index)"), "x"]) }
            connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
        }
        func carryOut(_ statement: String, _ effect: MigrationStep.Effect) throws {
            let census = Census(table: "\"Message\"", columns: ["\"text\""], isCopy: true)
            let change = Migration.Change(
                step: MigrationStep(summary: "Copy.", effect: effect), statements: [statement], census: census)
            try connection.transaction { () throws(StoreError) in _ = try change.carryOut(on: connection) }
        }
        let removal = "DELETE FROM \"Message\" WHERE \"sentAt\" = '1'"
        for effect in [MigrationStep.Effect.none, .converts, .losesData] {
            #expect { try carryOut(removal, effect) } throws: { "\($0)".contains("nothing was changed") }
        }
        let emptying = "UPDATE \"Message\" SET \"text\" = NULL WHERE \"sentAt\" = '1'"
        #expect { try carryOut(emptying, .converts) } throws: { "\($0)".contains("keep every value") }
        let present = try connection.rows("SELECT count(*), count(\"text\") FROM \"Message\"", columns: 2)
        #expect(present.map(\.values) == [[3, 3]])
    }

    @Test("whole numbers become real ones when the tables are brought to the schema, unless a double rounds one")
    func widening() throws {
        for (number, isLossless) in [(9_007_199_254_740_992, true), (9_007_199_254_740_993, false)] as [(Int64, Bool)] {
            let folder = TemporaryFolder()
            let store = try SQLiteStore.open(folder)
            defer { store.close() }
            let before = try store.migrate(to: [task])[0]
            let values: [Value] = ["1", "o", "s", .integer(number), 1.5, 1, "[]", "2020"]
            try store.put(before, values)
            var wider = task
            wider.columns[3].type = .real
            guard isLossless else {
                #expect(throws: StoreError.self) { try store.migrate(to: [wider], allowing: .converts) }
                continue
            }
            let reader = try store.makeReader()
            let byOwner = Fetch(before, columns: [0], access: .index(2))
            #expect(try reader.rows(byOwner, "o") == [["1"]])
            var none = wider
            none.indexes = []
            let after = try store.migrate(to: [none], keepsIndexes: true)[0]
            // Plans of before still read by the indexes that are not declared any more.
            #expect(try reader.rows(byOwner, "o") == [["1"]])
            let found = try reader.rows(Fetch(after, columns: [3], access: .scan))
            #expect(found == [[.real(Double(number))]])
            #expect(try store.plan(for: [none]).count == task.indexes.count)
        }
    }

    // MARK: Random schemas, items and changes

    private static let seeds: [UInt64] = [UInt64.testSeed(in: 1...1_000_000)] + (1...3)

    @Test("in random migrations lossless steps keep everything, and lossy ones what they announce", arguments: seeds)
    func random(seed: UInt64) throws {
        print("Lossless migrations, seed \(seed).")
        var random = SeededGenerator(seed: seed)
        for round in 0..<12 {
            let folder = TemporaryFolder()
            let store = try SQLiteStore.open(folder)
            defer { store.close() }
            var table = Self.makeTable(using: &random)
            var stored = try store.migrate(to: [table])[0]
            var items: [[Value]] = []
            for _ in 0..<30 {
                let item = table.columns.indices.map { Self.makeValue(table, $0, using: &random) }
                if case .item? = try? store.put(stored, item) { items.append(item) }
            }
            for _ in 0..<4 {
                let place = Comment(rawValue: "seed \(seed), round \(round), \(table)")
                let (next, sources) = Self.change(table, using: &random)
                let steps = try survey(folder).plan(for: [next])
                let loses = steps.contains(where: \.losesData)
                if loses {
                    #expect(throws: StoreError.self, place) { try store.migrate(to: [next], allowing: .converts) }
                    let counts = try #require(steps.first { $0.losesData }?.counts)
                    #expect(counts.removedItems + counts.lostValues > 0, place)
                    // What is stored has not changed, so the next change is made of the same table.
                    if Bool.random(using: &random) { continue }
                    let lossy = try store.migrate(to: [next], allowing: .losesData)[0]
                    let rows = try store.makeReader().rows(
                        Fetch(lossy, columns: Array(next.columns.indices), access: .scan))
                    #expect(rows.count == items.count - counts.removedItems, "\(place) to \(next)")
                    (items, stored) = (rows, lossy)
                } else {
                    stored = try store.migrate(to: [next], allowing: .converts)[0]
                    items = items.map { item in
                        zip(next.columns, sources).map { column, source in
                            source.map { Self.convert(item[$0], table.columns[$0].type, column.type) } ?? .null
                        }
                    }
                    try expect(items, in: stored, of: store, "\(place) to \(next)")
                }
                table = next
            }
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
            #expect(try connection.rows("PRAGMA integrity_check", columns: 1).map(\.values) == [["ok"]])
        }
    }

    private func expect(_ items: [[Value]], in table: StoredTable, of store: SQLiteStore, _ place: String) throws {
        let reader = try store.makeReader()
        let columns = Array(table.table.columns.indices)
        let rows = try reader.rows(Fetch(table, columns: columns, access: .scan))
        #expect(rows.map { $0.map(Self.normal) } == items.map { $0.map(Self.normal) }, "\(place)")
        for row in rows {
            let key = table.table.key.columns.map { row[$0] }
            #expect(try reader.row(Fetch(table, columns: columns, access: .item), key) == row, "\(place)")
            for (position, index) in table.table.indexes.enumerated() {
                let fetch = Fetch(table, columns: columns, access: .index(position))
                let isIn = index.key.columns.allSatisfy { row[$0] != .null }
                let found = try reader.rows(fetch, row[index.key.partitionKey]).contains(row)
                #expect(found == isIn, "\(place), \(index)")
            }
        }
    }

    /// Texts of a double differ by how it is written.
    private static func normal(_ value: Value) -> Value {
        guard case .text(let text) = value, let number = Double(text) else { return value }
        return .real(number)
    }

    private static func convert(_ value: Value, _ from: ColumnType, _ to: ColumnType) -> Value {
        switch (from, to, value) {
        case (_, _, .null): .null
        case (.boolean, .text, .integer(let bit)): .text(bit == 1 ? "true" : "false")
        case (_, .real, .integer(let number)): .real(Double(number))
        case (_, .real, .text(let text)): .real(Double(text) ?? .nan)
        case (_, .text, .integer(let number)): .text(String(number))
        case (_, .text, .real(let number)): .text(String(number))
        case (_, .integer, .text(let text)): .integer(Int64(text) ?? -1)
        case (_, .integer, .real(let number)): .integer(Int64(number))
        case (_, .boolean, .text(let text)): .integer(text == "true" ? 1 : 0)
        case (_, .json, .text(let text)): .text((try? JSONReader.read(text))?.description ?? "")
        default: value
        }
    }

    private static func makeTable(using random: inout SeededGenerator) -> Table {
        let count = Int.random(in: 4...7, using: &random)
        let columns = (0..<count).map { position in
            // The first ones, of which keys are made, are no lists.
            let types: [ColumnType] = position < 4 ? [.text, .text, .integer, .real, .boolean] : ColumnType.allCases
            return Column(name: "c\(position)", type: types.randomElement(using: &random) ?? .text)
        }
        var table = Table(name: "T", columns: columns, key: KeySchema(partitionKey: 0))
        table.key.sortKeys = Array([1, 2, 3].shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
        for number in 0..<Int.random(in: 0...2, using: &random) {
            let sortKeys = [0, 1, 2, 3].shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            let key = KeySchema(partitionKey: Int.random(in: 0...3, using: &random), sortKeys: Array(sortKeys))
            table.indexes.append(SecondaryIndex(name: "i\(number)", key: key))
        }
        return table
    }

    private static func makeValue(_ table: Table, _ position: Int, using random: inout SeededGenerator) -> Value {
        if !table.key.columns.contains(position), Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let number = Int64.random(in: -3...30, using: &random)
        switch table.columns[position].type {
        case .text:
            let texts = ["", "#", "a#", "b", "12", "true", "1.5", "[ 1 ]", "é", "'", "007", "\(number)"]
            // Mostly numbers, so that many conversions lose nothing.
            return .text(Bool.random(using: &random) ? "\(number)" : texts.randomElement(using: &random) ?? "")
        case .integer: return .integer(number)
        case .real: return .real(Bool.random(using: &random) ? Double(number) : Double(number) / 3)
        case .boolean: return .integer(number & 1)
        case .json: return .text(number & 1 == 0 ? "[]" : "{\"a\":[\(number)]}")
        }
    }

    /// Another table, and for each of its columns the one it was before.
    private static func change(_ table: Table, using random: inout SeededGenerator) -> (Table, sources: [Int?]) {
        var next = table
        var sources = table.columns.indices.map(Optional.init)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            next.columns.append(Column(name: "new\(table.columns.count)", type: .json))
            sources.append(nil)
        case 1: next.indexes = []
        case 2:
            next.indexes.append(
                SecondaryIndex(name: "x\(table.columns.count)", key: KeySchema(partitionKey: 1, sortKeys: [3, 2])))
            if Set(next.indexes.map(\.name)).count < next.indexes.count { next.indexes.removeLast() }
        case 3: next.key.sortKeys = Array([1, 2, 3].shuffled(using: &random).prefix(2))
        default:
            let keys = Set(([table.key] + table.indexes.map(\.key)).flatMap(\.columns))
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let position = Int.random(in: table.columns.indices, using: &random)
                let types = ColumnType.allCases.filter { $0 != .json || !keys.contains(position) }
                next.columns[position].type = types.randomElement(using: &random) ?? .text
            }
        }
        return (next, sources)
    }
}
