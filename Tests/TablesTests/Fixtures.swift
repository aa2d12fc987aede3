import Foundation
import Synchronization
import Testing

@testable public import Tables

/// A folder that goes when the test goes.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("tables-\(UUID().uuidString)").path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A look at what a folder stores.
func survey(_ folder: TemporaryFolder) throws -> StoreSurvey {
    let survey = try StoreSurvey(folder: folder.path)
    return try #require(survey)
}

/// Runs completions where they come from, and counts the calls.
final class TestExecutor: Executor {
    let calls = Atomic<Int>(0)

    func execute(_ work: @escaping @Sendable () -> Void) {
        calls.add(1, ordering: .relaxed)
        work()
    }
}

extension SQLiteStore {
    static func open(
        _ folder: TemporaryFolder, limits: StoreLimits = StoreLimits(), durability: Durability = .off
    ) throws -> SQLiteStore {
        try SQLiteStore(folder: folder.path, options: .init(durability: durability, limits: limits))
    }

    /// Writes, and waits for the commit.
    @discardableResult
    func perform(_ write: Write) throws -> WriteResult {
        let result = Monitor<Result<WriteResult, StoreError>?>(nil)
        self.write(write, on: TestExecutor()) { made in
            result.update { result in
                result = made
                return true
            }
        }
        return try result.wait { $0 }.get()
    }

    @discardableResult
    func put(_ table: StoredTable, _ values: [Value], if condition: Condition? = nil) throws -> WriteResult {
        try perform(
            Write(
                table: table, action: .put(values.enumerated().map { ($0, $1) }), condition: condition,
                returning: Array(table.table.columns.indices)))
    }
}

extension Reader {
    /// All rows of a Scan or Query, as a new request.
    func rows(
        _ fetch: Fetch, _ partitionKey: Value? = nil, _ sort: SortCondition? = nil, after: Position? = nil,
        filter: [Value] = [], limit: Int = 1_000
    ) throws -> [[Value]] {
        beginRequest(budget: Budget())
        let cursor = try open(
            fetch, partitionKey: partitionKey.map { .value($0) }, sort: sort, after: after, filter: filter,
            limit: limit)
        defer { cursor.close() }
        var rows: [[Value]] = []
        while try cursor.next() {
            if cursor.matches { rows.append(fetch.columns.indices.map(cursor.value)) }
        }
        return rows
    }

    /// The row with a primary key, as a new request.
    func row(_ fetch: Fetch, _ key: [Value], filter: [Value] = []) throws -> [Value]? {
        beginRequest(budget: Budget())
        let cursor = try item(fetch, key: key.map { .value($0) }, filter: filter)
        defer { cursor.close() }
        return try cursor.next() ? fetch.columns.indices.map(cursor.value) : nil
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByNilLiteral
{
    /// A value as a literal.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A value as a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A value as a literal.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// The absent value.
    public init(nilLiteral: ()) { self = .null }
}

/// Numbers that come again when a test is run again with the seed it printed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A table with every type of column and every sort of key.
let task = Table(
    name: "Task",
    columns: [
        Column(name: "id", type: .text), Column(name: "owner", type: .text), Column(name: "status", type: .text),
        Column(name: "priority", type: .integer), Column(name: "effort", type: .real),
        Column(name: "done", type: .boolean), Column(name: "tags", type: .json),
        Column(name: "createdAt", type: .text),
    ],
    key: KeySchema(partitionKey: 0),
    indexes: [
        SecondaryIndex(name: "byOwner", key: KeySchema(partitionKey: 1, sortKeys: [7])),
        SecondaryIndex(name: "byStatus", key: KeySchema(partitionKey: 2)),
        SecondaryIndex(name: "byOwnerPriority", key: KeySchema(partitionKey: 1, sortKeys: [3])),
        SecondaryIndex(name: "byOwnerStatusPriority", key: KeySchema(partitionKey: 1, sortKeys: [2, 3])),
        SecondaryIndex(name: "byOwnerEffort", key: KeySchema(partitionKey: 1, sortKeys: [4])),
        SecondaryIndex(name: "byStatusEffortCreatedAt", key: KeySchema(partitionKey: 2, sortKeys: [4, 7])),
    ])

/// A table whose primary key has a sort key.
let message = Table(
    name: "Message",
    columns: [
        Column(name: "room", type: .text), Column(name: "sentAt", type: .text), Column(name: "text", type: .text),
    ],
    key: KeySchema(partitionKey: 0, sortKeys: [1]))

/// A table whose primary key has a composite sort key.
let seat = Table(
    name: "Seat",
    columns: [
        Column(name: "hall", type: .text), Column(name: "row", type: .integer), Column(name: "place", type: .text),
        Column(name: "guest", type: .text),
    ],
    key: KeySchema(partitionKey: 0, sortKeys: [1, 2]))
