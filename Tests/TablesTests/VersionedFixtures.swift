import Synchronization
import Testing

@testable import Tables

/// A versioned table; its metadata are the columns 6 to 9.
let booking = Table(
    name: "Booking",
    columns: [
        Column(name: "id", type: .text), Column(name: "title", type: .text), Column(name: "notes", type: .text),
        Column(name: "attendees", type: .json), Column(name: "stats", type: .json), Column(name: "room", type: .text),
    ],
    key: KeySchema(partitionKey: 0),
    indexes: [SecondaryIndex(name: "byRoom", key: KeySchema(partitionKey: 5, sortKeys: [1]))], isVersioned: true)

/// A wall clock that stands still until it is moved, to either side.
final class TestClock: Sendable {
    /// 2026-01-01, in milliseconds.
    static let start: Int64 = 1_767_225_600_000
    private let now = Atomic<Int64>(start)

    var milliseconds: Int64 { now.load(ordering: .sequentiallyConsistent) }
    var wallClock: WallClock { WallClock { self.milliseconds } }

    func move(by milliseconds: Int64) {
        now.add(milliseconds, ordering: .sequentiallyConsistent)
    }
}

/// What a write came to, without its place in the order of commits.
enum Outcome: Equatable {
    case stored([Value])
    case conditionFailed([Value]?)
    case notPermitted(WriteGuard.Refusal)
    case conflict([Value], version: Int64)

    init(_ result: WriteResult) {
        self =
            switch result {
            case .item(let item, sequence: _): .stored(item.values)
            case .conditionFailed(let current): .conditionFailed(current?.values)
            case .notPermitted(let refusal): .notPermitted(refusal)
            case .conflict(let current, let version): .conflict(current.values, version: version)
            }
    }
}

/// A store with one versioned table, and shorthand for its writes.
final class VersionedStore {
    let folder: TemporaryFolder
    let clock: TestClock
    let store: SQLiteStore
    let table: StoredTable
    let reader: Reader

    init(
        _ table: Table = booking, in folder: TemporaryFolder = TemporaryFolder(), clock: TestClock = TestClock(),
        limits: StoreLimits = StoreLimits()
    ) throws {
        self.folder = folder
        self.clock = clock
        store = try SQLiteStore(
            folder: folder.path, options: .init(durability: .off, limits: limits), clock: clock.wallClock)
        self.table = try store.migrate(to: [table])[0]
        reader = try store.makeReader()
    }

    deinit { store.close() }

    @discardableResult
    func create(
        _ attributes: KeyValuePairs<String, Value>, if condition: Condition? = nil, recreates: Bool = false
    ) throws -> Outcome {
        try perform(
            .put(named(attributes)), if: condition,
            Versioning(expecting: nil, .automerge, recreatesOverTombstone: recreates))
    }

    @discardableResult
    func update(
        _ id: Value, _ attributes: KeyValuePairs<String, Value>, _ version: Int64?,
        _ handler: ConflictHandler = .automerge, if condition: Condition? = nil
    ) throws -> Outcome {
        try perform(
            .update(key: [id], named(attributes)), if: condition, Versioning(expecting: version, handler))
    }

    @discardableResult
    func delete(
        _ id: Value, _ version: Int64?, _ handler: ConflictHandler = .automerge, if condition: Condition? = nil
    ) throws -> Outcome {
        try perform(.delete(key: [id]), if: condition, Versioning(expecting: version, handler))
    }

    func perform(
        _ action: Write.Action, if condition: Condition?, guardedBy writeGuard: WriteGuard? = nil,
        _ versioning: Versioning
    ) throws -> Outcome {
        Outcome(
            try store.perform(
                Write(
                    table: table, action: action, condition: condition, writeGuard: writeGuard, returning: columns,
                    versioning: versioning)))
    }

    /// The item, tombstones included.
    func item(_ id: Value) throws -> [Value]? {
        try reader.row(Fetch(table, columns: columns, access: .item), [id])
    }

    /// Removes tombstones whose time has come; returns how many.
    func collect(countMax: Int = 256) throws -> Int {
        let result = Monitor<Result<Int, StoreError>?>(nil)
        store.collectTombstones(of: [table], countMax: countMax, on: TestExecutor()) { made in
            result.update { result in
                result = made
                return true
            }
        }
        return try result.wait { $0 }.get()
    }

    var columns: [Int] { Array(table.table.columns.indices) }

    private func named(_ attributes: KeyValuePairs<String, Value>) throws -> [(column: Int, value: Value)] {
        try attributes.map { (try #require(table.table.position(of: $0.key)), $0.value) }
    }
}

/// A device that keeps a copy of a table by base and delta sync, as Amplify's clients do.
struct Device {
    let table: StoredTable
    /// By key, the item with the highest version that was received of.
    private(set) var items: [[Value]: [Value]] = [:]
    private(set) var lastSync: Int64 = 0
    private(set) var deltaCount = 0

    init(_ table: StoredTable) { self.table = table }

    /// One sync, page by page, each from a snapshot of its own.
    mutating func sync(_ reader: Reader, limit: Int = 7, betweenPages: () throws -> Void = {}) throws {
        let metadata = try #require(table.table.metadata)
        reader.beginRequest(budget: Budget())
        let start = try reader.beginSync(of: table)
        let isDelta = lastSync > start.deltaHorizon && lastSync > 0
        let since = isDelta ? SortCondition(sortOperator: .ge, operands: [[.integer(lastSync)]]) : nil
        var position: Position?
        while true {
            let fetch = Fetch(
                table, columns: Array(table.table.columns.indices), access: isDelta ? .changes : .scan,
                sort: since?.shape, continues: position != nil)
            let cursor = try reader.open(fetch, partitionKey: nil, sort: since, after: position, limit: limit)
            var count = 0
            while try cursor.next() {
                count += 1
                let item = fetch.columns.indices.map(cursor.value)
                let key = table.table.key.columns.map { item[$0] }
                let known = items[key].flatMap { $0[metadata.version].number } ?? 0
                if let version = item[metadata.version].number, version > known { items[key] = item }
            }
            if isDelta { deltaCount += count }
            position = count == limit ? cursor.position : nil
            cursor.close()
            if position == nil { break }
            try betweenPages()
            reader.beginRequest(budget: Budget())
        }
        lastSync = start.startedAt
    }
}

extension Value {
    /// A whole number.
    var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
