import Foundation
import Synchronization
import Testing

@testable import Tables

@Suite("The writer")
struct WriterTests {
    private func makeStore(_ folder: TemporaryFolder, _ limits: StoreLimits = StoreLimits()) throws -> (
        SQLiteStore, [StoredTable]
    ) {
        let store = try SQLiteStore.open(folder, limits: limits)
        return (store, try store.migrate(to: [task, message]))
    }

    @Test("a put creates only; update and delete want the item to be there")
    func existence() throws {
        let folder = TemporaryFolder()
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        let table = tables[1]
        let key: [Value] = ["room", "1"]
        func update(_ key: [Value], _ text: Value, if condition: Condition? = nil) throws -> WriteResult {
            try store.perform(
                Write(table: table, action: .update(key: key, [(2, text)]), condition: condition, returning: [2, 0]))
        }
        #expect(try update(key, "x") == .conditionFailed())
        #expect(try store.put(table, key + ["a"]) == .item(Item(values: key + ["a"]), sequence: 1))
        #expect(try store.put(table, key + ["b"]) == .conditionFailed())
        #expect(try update(key, "b") == .item(Item(values: ["b", "room"]), sequence: 2))
        #expect(try update(key, "c", if: .compare(column: 2, .eq, "x")) == .conditionFailed())
        let cleared = Item(values: [nil, "room"])
        #expect(try update(key, nil, if: .compare(column: 2, .eq, "b")) == .item(cleared, sequence: 3))
        let touch = Write(table: table, action: .update(key: key, []), returning: [])
        #expect(try store.perform(touch) == .item(Item(values: []), sequence: 4))
        let delete = Write(table: table, action: .delete(key: key), returning: [0, 1, 2])
        #expect(try store.perform(delete) == .item(Item(values: key + [nil]), sequence: 5))
        #expect(try store.perform(delete) == .conditionFailed())
    }

    @Test("a write returns the item as it is read afterwards, however it was given")
    func returned() throws {
        let folder = TemporaryFolder()
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        let reader = try store.makeReader()
        let given: [(effort: Value, tags: Value)] = [
            (.real(-0.0), nil), (.integer(9_007_199_254_740_993), nil), (.real(2), nil), (nil, "[1.0]"),
            (.real(0.1), "[ 1, {\"a\" : 2 } ]"), (.integer(0), " null "),
        ]
        for (number, (effort, tags)) in given.enumerated() {
            let id = Value.text("a\u{0}\(number)")
            let put = Write(
                table: tables[0], action: .put([(6, tags), (4, effort), (0, id)]), returning: [4, 6, 1, 0])
            let update = Write(table: tables[0], action: .update(key: [id], [(4, effort)]), returning: [4, 6, 1, 0])
            for write in [put, update] {
                guard case .item(let item, _) = try store.perform(write) else { throw StoreError(.other, "No item.") }
                let read = try reader.row(Fetch(tables[0], columns: [4, 6, 1, 0], access: .item), [id])
                // Also the sign of a zero, which `==` does not see.
                #expect(read.map { "\($0)" } == "\(item.values)")
            }
        }
    }

    @Test("clearing tables deletes all their items after the writes before it, and leaves other tables alone")
    func clearing() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let tables = try store.migrate(to: [task, message, seat])
        for number in 1...5 {
            try store.put(tables[0], [.text("t\(number)"), "me"])
            try store.put(tables[1], ["room", .text("\(number)"), "text"])
            try store.put(tables[2], ["hall", .integer(Int64(number)), "a", "Ada"])
        }
        let reader = try store.makeReader()
        func count(_ table: StoredTable) throws -> Int {
            try reader.rows(Fetch(table, columns: [0], access: .scan)).count
        }
        #expect(try tables.map(count) == [5, 5, 5])
        let executor = TestExecutor()
        let result = Monitor<Result<Void, StoreError>?>(nil)
        func clear(_ tables: [StoredTable]) throws {
            result.update {
                $0 = nil; return false
            }
            store.clear(tables, on: executor) { made in
                result.update { result in
                    result = made
                    return true
                }
            }
            try result.wait { $0 }.get()
        }
        store.write(Write(table: tables[0], action: .put([(0, "late")]), returning: []), on: executor) { _ in }
        try clear([tables[0], tables[2]])
        #expect(try tables.map(count) == [0, 5, 0])
        #expect(store.statistics.queueCount == 0 && store.statistics.logPages > 0)
        #expect(executor.calls.load(ordering: .relaxed) == 2)
        #expect(
            try store.put(tables[0], ["t1"])
                == .item(Item(values: ["t1"] + Array(repeating: nil, count: 7)), sequence: 17))
        store.close()
        #expect(throws: StoreError.self) { try clear([tables[1]]) }
    }

    @Test("a refused write says what is wrong, and fails alone")
    func refusals() throws {
        let folder = TemporaryFolder()
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        let table = tables[0]
        let emptyKey = """
            One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty \
            string value. Key:\u{20}
            """
        let invalid = "One or more parameter values were invalid: "
        let partOfKey = "Cannot update attribute id. This attribute is part of the key"
        let actions: [(Write.Action, String)] = [
            (.put([(0, "")]), emptyKey + "id"),
            (.put([(0, "1"), (1, "")]), emptyKey + "owner"),
            (.put([(0, "1"), (7, "")]), emptyKey + "createdAt"),
            (.put([(1, "me")]), invalid + "Missing the key id in the item"),
            (.put([(0, .null)]), invalid + "Missing the key id in the item"),
            (.put([(0, 1)]), invalid + "Type mismatch for id"),
            (.put([(0, "1"), (3, "x")]), invalid + "Type mismatch for priority"),
            (.put([(0, "1"), (4, .real(.infinity))]), invalid + "Type mismatch for effort"),
            (.put([(0, "1"), (5, 2)]), invalid + "Type mismatch for done"),
            (.put([(0, "1"), (6, "[1")]), "A list or nested value is not JSON."),
            (.update(key: [""], []), emptyKey + "id"),
            (.update(key: ["1"], [(0, "2")]), invalid + partOfKey),
            (.delete(key: []), invalid + "The provided key element does not match the schema"),
        ]
        for (action, message) in actions {
            #expect {
                try store.perform(Write(table: table, action: action, returning: []))
            } throws: { error in
                let error = error as? StoreError
                return error?.code == .invalidRequest && error?.message == message
            }
        }
        #expect(try store.put(table, ["1", nil, nil, nil, nil, nil, nil, nil]) != .conditionFailed())
    }

    @Test("text of any kind is kept as it is")
    func anyText() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let name = #"Robert"); DROP TABLE Students;--"#
        let odd = Table(
            name: name,
            columns: ["\"", "SELECT", "select"].map { Column(name: $0, type: .text) },
            key: KeySchema(partitionKey: 0, sortKeys: [1, 2]),
            indexes: [SecondaryIndex(name: "'; --", key: KeySchema(partitionKey: 2, sortKeys: [1]))])
        let table = try store.migrate(to: [odd])[0]
        let reader = try store.makeReader()
        let texts = [
            "\0", "a\0b", "'", "\"", "\"; DROP TABLE x; --", "%_\\", "é", "e\u{301}", "🏳️‍🌈", "?1",
            String(repeating: "ä", count: 65_000),
        ]
        let item = Fetch(table, columns: [0, 1, 2], access: .item)
        let query = Fetch(table, columns: [0], access: .index(0))
        for text in texts {
            let values: [Value] = [.text(text), .text(text), .text(text)]
            let result = try store.put(table, values)
            #expect(result == .item(Item(values: values), sequence: store.statistics.writes))
            #expect(try reader.row(item, values) == values)
            #expect(try reader.rows(query, .text(text)) == [[.text(text)]])
        }
        let filter = ParameterizedCondition(.compare(column: 0, .eq, "e\u{301}"), of: table.table)
        let equal = Fetch(table, columns: [0], access: .scan, filter: filter.shape)
        #expect(try reader.rows(equal, filter: filter.values).count == 1, "bytes are compared, not characters")
    }

    @Test("many threads write; every write is committed once, in one order, in fewer transactions")
    func groupCommit() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder, durability: .full)
        let table = try store.migrate(to: [message])[0]
        let threads = 4
        let writes = 250
        let executors = (0..<threads).map { _ in TestExecutor() }
        let answers = Monitor<[[UInt64]]>(Array(repeating: [], count: threads))
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for index in 0..<writes {
                let attributes: [(column: Int, value: Value)] = [(0, .text("\(thread)")), (1, .text("\(index)"))]
                store.write(
                    Write(table: table, action: .put(attributes), returning: [0]), on: executors[thread]
                ) { result in
                    if case .success(.item(let item, let sequence)) = result, item.values == [.text("\(thread)")] {
                        answers.update { answers in
                            answers[thread].append(sequence)
                            return true
                        }
                    }
                }
            }
        }
        store.close()
        let sequences = answers.wait { $0 }
        for own in sequences { #expect(own.count == writes && own == own.sorted()) }
        #expect(Set(sequences.joined()) == Set(1...UInt64(threads * writes)))
        let commits = store.statistics.commits
        #expect(commits < UInt64(threads * writes))
        for executor in executors { #expect(executor.calls.load(ordering: .relaxed) <= Int(commits)) }
    }

    @Test("an observer is called for every commit and nothing else, in order, before any result")
    func observer() throws {
        final class Observer: CommitObserver {
            struct Commit: Equatable {
                var sequence: UInt64
                var key: [Value]
            }
            let commits = Mutex<[Commit]>([])
            func committed(_ write: Write, sequence: UInt64) {
                commits.withLock { $0.append(Commit(sequence: sequence, key: write.key)) }
            }
        }
        let folder = TemporaryFolder()
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        let observer = Observer()
        func put(_ number: Int, isObserved: Bool = true) -> Write {
            // The key's parts in another order than the key's.
            Write(
                table: tables[1], action: .put([(2, "text"), (1, .text("\(number)")), (0, "room")]), returning: [],
                observer: isObserved ? observer : nil)
        }
        // Every third one is there already, so it fails; every fourth is not observed.
        for number in stride(from: 0, to: 60, by: 3) { try store.perform(put(number, isObserved: false)) }
        let pending = Monitor(60)
        let order = Mutex<[UInt64]>([])
        for number in 0..<60 {
            store.write(put(number, isObserved: number % 4 > 0), on: TestExecutor()) { result in
                if case .success(.item(_, let sequence)) = result {
                    order.withLock { $0.append(sequence) }
                    let last = observer.commits.withLock { $0.last?.sequence ?? 0 }
                    if number % 4 > 0 { #expect(last >= sequence) }
                }
                pending.update { pending in
                    pending -= 1
                    return true
                }
            }
        }
        _ = pending.wait { $0 == 0 ? true : nil }
        let expected = (0..<60).filter { $0 % 3 > 0 }.enumerated().filter { $1 % 4 > 0 }.map { position, number in
            Observer.Commit(sequence: UInt64(20 + position + 1), key: ["room", .text("\(number)")])
        }
        #expect(observer.commits.withLock { $0 } == expected)
        #expect(order.withLock { $0 } == Array(21...60).map(UInt64.init))
        try store.perform(
            Write(table: tables[1], action: .delete(key: ["room", "1"]), returning: [], observer: observer))
        #expect(observer.commits.withLock { $0.last } == Observer.Commit(sequence: 61, key: ["room", "1"]))
    }

    @Test("a full queue and a closed store refuse at once")
    func refusing() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.writeQueueCountMax = 2
        let (store, tables) = try makeStore(folder, limits)
        let hold = Monitor(false)
        let results = Monitor<[Result<WriteResult, StoreError>]>([])
        let write = Write(table: tables[1], action: .put([(0, "r"), (1, "1")]), returning: [])
        for _ in 0..<4 {
            store.write(write, on: TestExecutor()) { result in
                results.update { results in
                    results.append(result)
                    return true
                }
                // The first completion holds the writer's thread until the queue was seen to be full.
                if case .success = result { hold.wait { $0 ? () : nil } }
            }
        }
        let refused = results.wait { results in
            let refused = results.filter { if case .failure(let error) = $0 { error.code == .busy } else { false } }
            return refused.isEmpty ? nil : refused.count
        }
        #expect(refused >= 1)
        hold.update { isOver in
            isOver = true
            return true
        }
        store.close()
        #expect { try store.perform(write) } throws: { ($0 as? StoreError)?.code == .closed }
        #expect { try store.makeReader() } throws: { ($0 as? StoreError)?.code == .closed }
        #expect { try store.migrate(to: []) } throws: { ($0 as? StoreError)?.code == .closed }
        store.close()
    }

    @Test("the log is copied into the database when it grows")
    func checkpoints() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.checkpointPages = 20
        let (store, tables) = try makeStore(folder, limits)
        let text = Value.text(String(repeating: "x", count: 4_000))
        for index in 0..<400 { try store.put(tables[1], ["room", .text("\(index)"), text]) }
        let log = try FileManager.default.attributesOfItem(atPath: DataFolder.database(in: folder.path) + "-wal")
        #expect((log[.size] as? Int ?? .max) < 200 * 4_096)
        store.close()
        #expect(store.statistics.checkpoints > 0)
        #expect(!FileManager.default.fileExists(atPath: DataFolder.database(in: folder.path) + "-wal"))
    }

    @Test("a full disk fails what does not fit, keeps what was acknowledged, and the writer works on")
    func fullDisk() throws {
        let folder = TemporaryFolder()
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        func bound(pages: Int) throws {
            try store.writer.run { connection in
                Result { () throws(StoreError) in
                    try connection.connection.execute("PRAGMA max_page_count = \(pages)")
                }
            }
        }
        let text = Value.text(String(repeating: "x", count: 100_000))
        func put(_ index: Int) throws { try store.put(tables[1], ["room", .text("\(index)"), text]) }
        try put(1)
        try bound(pages: 80)
        #expect { for index in 2...10 { try put(index) } } throws: { ($0 as? StoreError)?.code == .diskFull }
        try bound(pages: 1_000_000)
        try put(100)
        let rows = try store.makeReader().rows(Fetch(tables[1], columns: [1], access: .scan))
        #expect(rows.first == ["1"] && rows.last == ["100"] && UInt64(rows.count) == store.statistics.writes)
    }

    @Test("another program's lock makes writes fail after a while, and no longer than it lasts")
    func foreignLock() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.busyMilliseconds = 20
        let (store, tables) = try makeStore(folder, limits)
        defer { store.close() }
        let other = try Connection(path: DataFolder.database(in: folder.path), mode: .writing, limits: limits)
        try other.execute("BEGIN IMMEDIATE")
        #expect { try store.put(tables[1], ["room", "1", nil]) } throws: { ($0 as? StoreError)?.code == .busy }
        try other.execute("COMMIT")
        try store.put(tables[1], ["room", "1", nil])
    }

    @Test("a store released without closing has lost nothing")
    func lettingGo() throws {
        let folder = TemporaryFolder()
        do {
            let (store, tables) = try makeStore(folder)
            try store.put(tables[1], ["room", "1", "kept"])
        }
        let (store, tables) = try makeStore(folder)
        defer { store.close() }
        #expect(try store.makeReader().rows(Fetch(tables[1], columns: [2], access: .scan)) == [["kept"]])
    }

    @Test("every acknowledged write is in the files, whatever becomes of the process")
    func copyOfLiveFiles() throws {
        let folder = TemporaryFolder()
        let copy = TemporaryFolder()
        let store = try SQLiteStore.open(folder, durability: .full)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        for index in 0..<50 { try store.put(table, ["room", .text("\(index)"), "x"]) }
        // What a crash leaves: the database and its log, without anybody having closed them.
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            let (from, to) = (DataFolder.database(in: folder.path), DataFolder.database(in: copy.path))
            try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
        }
        let restored = try SQLiteStore.open(copy)
        defer { restored.close() }
        let stored = try restored.migrate(to: [message])[0]
        #expect(try restored.makeReader().rows(Fetch(stored, columns: [1], access: .scan)).count == 50)
    }
}
