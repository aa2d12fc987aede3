import Testing

@testable import Tables

/// The semantics of a versioned table, plainly: items by key in a dictionary.
private struct VersionedReference {
    let table: Table
    let metadata: VersionMetadata
    /// Decides conditions.
    private let reference: ReferenceStore
    private(set) var items: [[Value]: [Value]] = [:]
    private(set) var lastVersions: [[Value]: Int64] = [:]
    private(set) var horizon: Int64 = 0

    init(_ table: Table) throws {
        self.table = table
        metadata = try #require(table.metadata)
        reference = ReferenceStore(table)
    }

    mutating func perform(
        _ action: Write.Action, if condition: Condition?, _ versioning: Versioning, at stamp: Int64
    ) -> Outcome {
        let (table, metadata) = (table, metadata)
        switch action {
        case .put(let attributes):
            let key = table.key.columns.map { column in attributes.first { $0.column == column }?.value ?? .null }
            let nothing = [Value](repeating: .null, count: table.columns.count)
            let current = items[key]
            let isFree = current.map { versioning.recreatesOverTombstone && $0[metadata.deleted] == 1 } ?? true
            guard isFree, isTrue(condition, of: nothing) else { return .conditionFailed(current) }
            var item = nothing
            for (column, value) in attributes { item[column] = value }
            let last = current?[metadata.version].number ?? lastVersions[key] ?? 0
            return store(item, key, version: last + 1, at: stamp)
        case .update(let key, let attributes):
            return change(key, if: condition, versioning, at: stamp) { item, isEqual in
                guard isEqual || versioning.conflictHandler == .automerge else { return false }
                for (column, value) in attributes {
                    item[column] = isEqual ? value : Self.merge(item[column], value, table.columns[column].type)
                }
                return true
            }
        case .delete(let key):
            return change(key, if: condition, versioning, at: stamp) { item, isEqual in
                item[metadata.deleted] = 1
                item[metadata.ttl] = .integer(stamp / 1_000 + 2_592_000)
                return isEqual
            }
        }
    }

    private mutating func change(
        _ key: [Value], if condition: Condition?, _ versioning: Versioning, at stamp: Int64,
        _ body: (inout [Value], Bool) -> Bool
    ) -> Outcome {
        guard let current = items[key], let version = current[metadata.version].number else {
            return .conditionFailed(nil)
        }
        var item = current
        guard body(&item, versioning.expected == version) else { return .conflict(current, version: version) }
        guard isTrue(condition, of: current) else { return .conditionFailed(current) }
        return store(item, key, version: version + 1, at: stamp)
    }

    private mutating func store(_ item: [Value], _ key: [Value], version: Int64, at stamp: Int64) -> Outcome {
        var item = item
        item[metadata.version] = .integer(version)
        item[metadata.lastChangedAt] = .integer(stamp)
        items[key] = item
        return .stored(item)
    }

    /// Merges by hand, on texts as `Sample` has them.
    private static func merge(_ stored: Value, _ incoming: Value, _ type: ColumnType) -> Value {
        guard case .text(let text) = stored else { return incoming }
        guard type == .json, case .text(let other) = incoming, text.first == other.first else { return stored }
        let open = String(text.prefix(1))
        let close = String(text.suffix(1))
        let own = text.dropFirst().dropLast().split(separator: ",")
        var new = other.dropFirst().dropLast().split(separator: ",")
        if open == "{" { new.removeAll { member in own.contains { $0.prefix(3) == member.prefix(3) } } }
        return .text(open + (own + new).joined(separator: ",") + close)
    }

    /// The latest stamp that is stored.
    var latestStamp: Int64 {
        items.values.reduce(horizon) { max($0, $1[metadata.lastChangedAt].number ?? 0) }
    }

    mutating func collect(at seconds: Int64) -> Int {
        let due = items.filter { ($0.value[metadata.ttl].number ?? .max) <= seconds }
        for (key, item) in due {
            items[key] = nil
            lastVersions[key] = item[metadata.version].number
            horizon = max(horizon, item[metadata.lastChangedAt].number ?? 0)
        }
        return due.count
    }

    private func isTrue(_ condition: Condition?, of item: [Value]) -> Bool {
        reference.isTrue(condition ?? .and([]), of: item)
    }
}

@Suite("Random writes to versioned tables give what the plain reference gives")
struct VersionedContractTests {
    private static let tables = [
        booking,
        Table(
            name: "Seat",
            columns: [
                Column(name: "hall", type: .text), Column(name: "row", type: .integer),
                Column(name: "place", type: .real), Column(name: "guest", type: .text),
                Column(name: "tags", type: .json),
            ], key: KeySchema(partitionKey: 0, sortKeys: [1, 2]), isVersioned: true),
        Table(
            name: "Message", columns: [Column(name: "room", type: .text), Column(name: "number", type: .integer)],
            key: KeySchema(partitionKey: 0, sortKeys: [1]), isVersioned: true),
    ]

    @Test(
        "every outcome, every stored item, what changed since any time, and the numbering after removal",
        arguments: [1, 2, 3] as [UInt64])
    func randomWrites(seed: UInt64) throws {
        // Printed with any failure, as the test's argument.
        var random = SeededGenerator(seed: seed)
        for table in Self.tables {
            let folder = TemporaryFolder()
            let clock = TestClock()
            var store = try VersionedStore(table, in: folder, clock: clock)
            var reference = try VersionedReference(table)
            var stamp = clock.milliseconds
            for step in 1...400 {
                clock.move(by: Int64.random(in: -3...5, using: &random))
                stamp = max(stamp, clock.milliseconds)
                let action = action(on: store.table.table, &random)
                let versioning = Versioning(
                    expecting: Bool.random(using: &random)
                        ? version(of: action, in: reference) : [nil, 0, 1, 2, 5].randomElement(using: &random) ?? nil,
                    ConflictHandler.allCases.randomElement(using: &random) ?? .automerge,
                    recreatesOverTombstone: Bool.random(using: &random))
                let column = reference.metadata.version - 1
                let conditions: [Condition?] = [
                    nil, nil, .attributeExists(column: column, true), .attributeExists(column: column, false),
                    .compare(column: reference.metadata.deleted, .ne, 1),
                    .compare(column: reference.metadata.version, .lt, 3),
                ]
                let condition = conditions.randomElement(using: &random) ?? nil
                let expected = reference.perform(action, if: condition, versioning, at: stamp)
                let outcome = try store.perform(action, if: condition, versioning)
                #expect(outcome == expected, "step \(step): \(action) \(versioning) \(String(describing: condition))")
                guard step.isMultiple(of: 50) else { continue }
                try compare(store, reference, &random)
                if step == 200 {
                    // All tombstones are due; their keys go on counting.
                    clock.move(by: 31 * 86_400_000)
                    #expect(try store.collect() == reference.collect(at: clock.milliseconds / 1_000))
                    try compare(store, reference, &random)
                }
                if step == 300 {
                    store.store.close()
                    store = try VersionedStore(table, in: folder, clock: clock)
                    stamp = max(clock.milliseconds, reference.latestStamp)
                }
            }
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
            // Indexes agree with rows.
            #expect(try connection.rows("PRAGMA integrity_check", columns: 1).map(\.values) == [["ok"]])
        }
    }

    private func compare(
        _ store: VersionedStore, _ reference: VersionedReference, _ random: inout SeededGenerator
    ) throws {
        let table = store.table
        let metadata = reference.metadata
        let all = try store.reader.rows(Fetch(table, columns: store.columns, access: .scan))
        #expect(Set(all) == Set(reference.items.values) && all.count == reference.items.count)
        #expect(try store.reader.deltaHorizon(of: table) == reference.horizon)
        let stamps = all.compactMap { $0[metadata.lastChangedAt].number }
        for since in [0, .max, stamps.randomElement(using: &random) ?? 0] {
            let sort = SortCondition(sortOperator: .ge, operands: [[.integer(since)]])
            func fetch(_ continues: Bool) -> Fetch {
                Fetch(table, columns: store.columns, access: .changes, sort: sort.shape, continues: continues)
            }
            let limit = Int.random(in: 1...5, using: &random)
            let changes = try store.reader.pages(fetch(false), fetch(true), nil, sort, filter: [], limit: limit)
            #expect(
                try store.reader.batchedPages(fetch(false), fetch(true), nil, sort, filter: [], limit: limit)
                    == changes)
            #expect(Set(changes) == Set(all.filter { ($0[metadata.lastChangedAt].number ?? 0) >= since }))
            let order = changes.compactMap { $0[metadata.lastChangedAt].number }
            #expect(order == order.sorted() && Set(changes).count == changes.count)
        }
    }

    // MARK: Random things

    /// The stored version of the item that an action is about.
    private func version(of action: Write.Action, in reference: VersionedReference) -> Int64? {
        switch action {
        case .put: nil
        case .update(let key, _), .delete(let key): reference.items[key]?[reference.metadata.version].number
        }
    }

    private func value(of column: Column, _ random: inout SeededGenerator) -> Value {
        let json = ["[]", #"["a"]"#, #"["b","a"]"#, "{}", #"{"a":"b"}"#, #"{"a":"c","b":"b"}"#]
        return switch column.type {
        case .text: .text(["a", "b", "ä"].randomElement(using: &random) ?? "")
        case .integer: .integer(Int64.random(in: 1...2, using: &random))
        case .real: .real(0.5)
        case .boolean: 1
        case .json: .text(json.randomElement(using: &random) ?? "[]")
        }
    }

    private func action(on table: Table, _ random: inout SeededGenerator) -> Write.Action {
        let key = table.key.columns.map { value(of: table.columns[$0], &random) }
        var attributes: [(column: Int, value: Value)] = []
        for column in 0..<table.columns.count - 4 where !table.key.columns.contains(column) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: break
            case 1: attributes.append((column, .null))
            default: attributes.append((column, value(of: table.columns[column], &random)))
            }
        }
        return switch Int.random(in: 0..<5, using: &random) {
        case 0: .delete(key: key)
        case 1, 2, 3: .update(key: key, attributes)
        default: .put(zip(table.key.columns, key).map { ($0, $1) } + attributes)
        }
    }
}
