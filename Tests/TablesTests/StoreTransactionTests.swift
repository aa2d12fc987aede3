import Foundation
import Synchronization
import Testing

@testable import Tables

@Suite("Transactions with a body")
struct StoreTransactionTests {
    private static let counters = Table(
        name: "Test.Counters",
        columns: [
            Column(name: "group", type: .text), Column(name: "number", type: .integer),
            Column(name: "count", type: .integer), Column(name: "note", type: .text),
        ], key: KeySchema(partitionKey: 0, sortKeys: [1]),
        indexes: [SecondaryIndex(name: "byCount", key: KeySchema(partitionKey: 0, sortKeys: [2]))])

    private final class Inline: Executor {
        func execute(_ work: @escaping @Sendable () -> Void) { Task { work() } }
    }

    private func withStore(
        limits: StoreLimits = StoreLimits(), _ body: (SQLiteStore, StoredTable) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "/transactions-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteStore(folder: folder, options: StoreOptions(durability: .off, limits: limits))
        defer { store.close() }
        try await body(store, try store.migrate(to: [Self.counters])[0])
    }

    private func run<Success: Sendable>(
        _ store: SQLiteStore, _ body: @escaping @Sendable (StoreTransaction) throws(StoreError) -> Success
    ) async -> Result<Success, StoreError> {
        await withCheckedContinuation { continuation in
            store.transact(byteCount: 100, deadline: nil, on: Inline(), body) { continuation.resume(returning: $0) }
        }
    }

    @Test("what a transaction writes it reads, and what it adds is added to what is there")
    func readsOwnWrites() async throws {
        try await withStore { store, table in
            let key1: [Value] = [.text("g"), .integer(1)]
            let key2: [Value] = [.text("g"), .integer(2)]
            let key3: [Value] = [.text("g"), .integer(3)]
            let result = await run(store) { (transaction) throws(StoreError) -> ([Bool], [Item?]) in
                var done = [try transaction.item(of: table, key: key1) == nil]
                done.append(try transaction.put(key1 + [.null, .text("first")], into: table))
                done.append(try !transaction.put(key1 + [.integer(9), .null], into: table))
                for amount in [5, -2] as [Int64] {
                    for key in [key1, key2] {
                        try transaction.add([(2, amount)], to: table, key: key, setting: [(3, .text("\(amount)"))])
                    }
                }
                done.append(try !transaction.update(table, key: key3, setting: [(3, .text("x"))]))
                done.append(try transaction.update(table, key: key2, setting: [(3, .text("x"))]))
                done.append(try !transaction.delete(key3, from: table))
                return (
                    done, [try transaction.item(of: table, key: key1), try transaction.item(of: table, key: key2)]
                )
            }
            let (done, items) = try result.get()
            #expect(done == Array(repeating: true, count: 6))
            #expect(
                items == [
                    Item(values: [.text("g"), .integer(1), .integer(3), .text("-2")]),
                    Item(values: [.text("g"), .integer(2), .integer(3), .text("x")]),
                ])
        }
    }

    @Test("a query reads the first items of a partition in the order of its sort key")
    func queries() async throws {
        try await withStore { store, table in
            _ = await run(store) { (transaction) throws(StoreError) in
                for number in [4, 2, 3, 1] as [Int64] {
                    _ = try transaction.put(
                        [.text("g"), .integer(number), .integer(-number), .null], into: table)
                }
            }
            let numbers = await run(store) { (transaction) throws(StoreError) -> [[Int64]] in
                let range = SortCondition(sortOperator: .between, operands: [[.integer(-3)], [.integer(-2)]])
                return try [
                    transaction.items(of: table, partition: .text("g"), columns: [1], limit: 2),
                    transaction.items(of: table, .index(0), partition: .text("g"), columns: [1], limit: 10),
                    transaction.items(
                        of: table, .index(0), partition: .text("g"), sort: range, columns: [1], limit: 10),
                    transaction.items(of: table, partition: .text("h"), columns: [1], limit: 10),
                ].map { $0.map { $0.integer(0) } }
            }
            let found = try numbers.get()
            #expect(found == [[1, 2], [4, 3, 2, 1], [3, 2], []])
        }
    }

    @Test("a body that throws is undone alone, though it shares its commit with others")
    func undoneAlone() async throws {
        try await withStore { store, table in
            let commits = store.statistics.commits
            // All wait together behind one that is held, so that one commit takes them.
            let gate = DispatchSemaphore(value: 0)
            store.transact(byteCount: 100, deadline: nil, on: Inline()) { (_) throws(StoreError) in
                _ = gate.wait(timeout: .now() + 60)
            } completion: { _ in
            }
            let results = Mutex<[Int64: Bool]>([:])
            await withCheckedContinuation { continuation in
                for number in 0..<20 as Range<Int64> {
                    store.transact(byteCount: 100, deadline: nil, on: Inline()) { (transaction) throws(StoreError) in
                        try transaction.add([(2, 1)], to: table, key: [.text("sum"), .integer(0)])
                        _ = try transaction.put([.text("g"), .integer(number), .integer(0), .null], into: table)
                        if number % 3 == 0 { throw StoreError(.invalidRequest, "enough") }
                    } completion: { result in
                        let count = results.withLock { results in
                            results[number] = (try? result.get()) != nil
                            return results.count
                        }
                        if count == 20 { continuation.resume() }
                    }
                }
                gate.signal()
            }
            let done = results.withLock { $0 }
            for (number, isDone) in done { #expect(isDone == (number % 3 != 0)) }
            #expect(store.statistics.commits - commits < 20, "they had a commit each")
            let sum = await run(store) { (transaction) throws(StoreError) -> (Int64?, Int) in
                (
                    try transaction.item(of: table, key: [.text("sum"), .integer(0)])?.integer(2),
                    try transaction.items(of: table, partition: .text("g"), columns: [1], limit: 100).count
                )
            }
            let (added, rows) = try sum.get()
            #expect(added == 13 && rows == 13)
        }
    }

    @Test("a full queue, and a closed store, answer at once")
    func refused() async throws {
        var limits = StoreLimits()
        limits.writeQueueBytesMax = 50
        try await withStore(limits: limits) { store, _ in
            let full = await run(store) { (_) throws(StoreError) -> Bool in true }
            guard case .failure(let refusal) = full else {
                Issue.record("A full queue took it.")
                return
            }
            #expect(refusal.code == .busy)
            store.close()
            let closed = await run(store) { (_) throws(StoreError) -> Bool in true }
            guard case .failure(let error) = closed else {
                Issue.record("A closed store took it.")
                return
            }
            #expect(error.code == .closed)
        }
    }
}
