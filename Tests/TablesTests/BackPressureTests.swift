import Foundation
import Synchronization
import Testing

@testable import Tables

@Suite("Writes that wait")
struct BackPressureTests {
    /// The results of writes by their number, as they come in.
    private final class Answers: Sendable {
        private let answers = Monitor<[Int: Result<WriteResult, StoreError>]>([:])

        func take(_ number: Int, _ result: Result<WriteResult, StoreError>) {
            answers.update { answers in
                precondition(answers[number] == nil, "a write is answered once")
                answers[number] = result
                return true
            }
        }

        func wait(for count: Int) -> [Int: Result<WriteResult, StoreError>] {
            answers.wait { $0.count >= count ? $0 : nil }
        }

        var count: Int { answers.wait { $0.count } }
    }

    private func code(_ result: Result<WriteResult, StoreError>?) -> StoreError.Code? {
        if case .failure(let error)? = result { error.code } else { nil }
    }

    private func submit(
        _ number: Int, to table: StoredTable, of store: SQLiteStore, seconds: Double? = nil, text: Value = "x",
        condition: Condition? = nil, _ answers: Answers
    ) {
        let action = Write.Action.put([(0, "room"), (1, .text("\(number)")), (2, text)])
        store.write(
            Write(table: table, action: action, condition: condition, returning: []),
            deadline: seconds.map { .now + .seconds($0) }, on: TestExecutor()
        ) { answers.take(number, $0) }
    }

    /// A store whose writer another program holds up for as long as the body runs.
    private func blocked(
        _ change: (inout StoreLimits) -> Void = { _ in },
        _ body: (SQLiteStore, StoredTable, _ release: () throws -> Void) throws -> Void
    ) throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.busyMilliseconds = 60_000
        change(&limits)
        let store = try SQLiteStore.open(folder, limits: limits)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let other = try Connection(path: DataFolder.database(in: folder.path), mode: .writing, limits: limits)
        try other.execute("BEGIN IMMEDIATE")
        defer { if other.isInTransaction { try? other.execute("ROLLBACK") } }
        try body(store, table) { try other.execute("ROLLBACK") }
    }

    @Test(
        "those that wait too long are taken out and answered, while the writer is held up; the others are carried out")
    func late() throws {
        try blocked { store, table, release in
            let answers = Answers()
            for number in 0..<100 {
                submit(number, to: table, of: store, seconds: number.isMultiple(of: 2) ? 0.05 : 60, answers)
            }
            let early = answers.wait(for: 50)
            for (number, answer) in early { #expect(number.isMultiple(of: 2) && code(answer) == .timedOut) }
            #expect(early.count == 50 && store.statistics.queueCount == 50)
            try release()
            let all = answers.wait(for: 100)
            for number in stride(from: 1, to: 100, by: 2) { #expect(code(all[number]) == nil, "\(number)") }
            let rows = try store.makeReader().rows(Fetch(table, columns: [1], access: .scan))
            #expect(rows.count == 50 && store.statistics.queueCount == 0)
        }
    }

    @Test("an earlier deadline after a later one is kept, and a write past its deadline is never begun")
    func order() throws {
        try blocked { store, table, release in
            let answers = Answers()
            submit(0, to: table, of: store, seconds: 60, answers)
            submit(1, to: table, of: store, seconds: 0.1, answers)
            submit(2, to: table, of: store, seconds: 0.02, answers)
            #expect(code(answers.wait(for: 1)[2]) == .timedOut)
            #expect(code(answers.wait(for: 2)[1]) == .timedOut)
            try release()
            #expect(code(answers.wait(for: 3)[0]) == nil)
            submit(3, to: table, of: store, seconds: 0, answers)
            #expect(code(answers.wait(for: 4)[3]) == .timedOut)
            #expect(store.statistics.writes == 1)
        }
    }

    @Test("ten thousand writes wait; the next is refused at once; all are answered when the lock is released")
    func bound() throws {
        try blocked { store, table, release in
            let answers = Answers()
            for number in 0..<10_050 { submit(number, to: table, of: store, seconds: 60, answers) }
            let refused = answers.wait(for: 50)
            #expect(refused.count == 50 && refused.values.allSatisfy { code($0) == .busy })
            #expect(store.statistics.queueCount == 10_000)
            try release()
            let all = answers.wait(for: 10_050)
            #expect(all.values.count { code($0) == nil } == 10_000)
            #expect(store.statistics.queueCount == 0 && store.statistics.writes == 10_000)
        }
    }

    @Test("what waits is bounded in bytes, those of conditions included")
    func bytes() throws {
        let text = String(repeating: "x", count: 10_000)
        let rows: [(Value, Condition?)] = [
            (.text(text), nil),
            ("x", .not(.and([.compare(column: 2, .eq, .text(text)), .beginsWith(column: 1, "a")]))),
        ]
        for (value, condition) in rows {
            try blocked { limits in
                limits.writeQueueBytesMax = 100_000
            } _: { store, table, release in
                let answers = Answers()
                for number in 0..<20 {
                    submit(number, to: table, of: store, text: value, condition: condition, answers)
                }
                let refused = answers.wait(for: 1)
                #expect(refused.count >= 10 && refused.values.allSatisfy { code($0) == .busy })
                try release()
                _ = answers.wait(for: 20)
            }
        }
    }

    @Test("what clears tables keeps its place among the writes that wait, and is answered")
    func clearing() throws {
        try blocked { store, table, release in
            let answers = Answers()
            let cleared = Monitor<Result<Void, StoreError>?>(nil)
            for number in 0..<5 { submit(number, to: table, of: store, seconds: 60, answers) }
            store.clear([table], on: TestExecutor()) { result in
                cleared.update { cleared in
                    cleared = result
                    return true
                }
            }
            for number in 5..<10 { submit(number, to: table, of: store, seconds: 60, answers) }
            #expect(store.statistics.queueCount == 11)
            try release()
            try cleared.wait { $0 }.get()
            _ = answers.wait(for: 10)
            let rows = try store.makeReader().rows(Fetch(table, columns: [1], access: .scan))
            #expect(rows == (5..<10).map { [.text("\($0)")] })
            #expect(store.statistics.queueCount == 0)
        }
    }

    @Test("a lock that outlasts the busy timeout fails all waiting writes together as busy")
    func busy() throws {
        try blocked { limits in
            limits.busyMilliseconds = 300
            limits.batchCountMax = 2
        } _: { store, table, _ in
            let answers = Answers()
            let start = ContinuousClock.now
            for number in 0..<1_000 { submit(number, to: table, of: store, seconds: 600, answers) }
            let all = answers.wait(for: 1_000)
            #expect(all.values.allSatisfy { code($0) == .busy })
            // Two at a time would be five hundred times the timeout: two and a half minutes.
            #expect(start.duration(to: .now) < .seconds(60))
        }
    }

    @Test("a store that closes carries out what waits, late or not answered once")
    func closing() throws {
        let answers = Answers()
        try blocked { store, table, release in
            for number in 0..<20 {
                submit(number, to: table, of: store, seconds: number < 10 ? 0.001 : 60, answers)
            }
            _ = answers.wait(for: 10)
            try release()
            store.close()
            #expect(store.statistics.writes == 10)
        }
        #expect(answers.count == 20)
    }

    @Test("long reads one after the other bound the log: writes wait, then are refused, and go on when the reads end")
    func logBound() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.checkpointPages = 20
        limits.logPagesMax = 100
        limits.busyMilliseconds = 50
        let store = try SQLiteStore.open(folder, limits: limits)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let text = Value.text(String(repeating: "x", count: 10_000))
        try store.put(table, ["room", "0", text])
        // A cursor that stands still holds its snapshot, as a long read does between two rows.
        let reader = try store.makeReader()
        func hold() throws -> Cursor {
            reader.beginRequest(budget: Budget())
            return try reader.open(
                Fetch(table, columns: [1], access: .scan), partitionKey: nil, sort: nil, after: nil, limit: 10)
        }
        var cursor = try hold()
        #expect(try cursor.next())
        var refusals = 0
        for number in 1...200 {
            do {
                try store.put(table, ["room", .text("\(number)"), text])
            } catch let error as StoreError {
                #expect(error.code == .busy)
                refusals += 1
                // The read ends, and the next one begins with a newer snapshot.
                cursor.close()
                reader.endTurn()
                if refusals.isMultiple(of: 2) {
                    try store.put(table, ["room", .text("\(number)"), text])
                }
                cursor = try hold()
                #expect(try cursor.next())
            }
            #expect(store.statistics.logPages < 120, "one transaction past the bound at most")
        }
        cursor.close()
        #expect(refusals > 0)
        let size = try FileManager.default.attributesOfItem(atPath: DataFolder.database(in: folder.path) + "-wal")
        #expect((size[.size] as? Int ?? .max) < 130 * 4_200)
        reader.endTurn()
        try store.put(table, ["room", "last", text])
    }
}
