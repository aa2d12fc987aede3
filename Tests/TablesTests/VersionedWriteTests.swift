import Testing

@testable import Tables

/// The numbers are those of the conformance scenarios for DataStore.
@Suite("Writes to versioned tables")
struct VersionedWriteTests {
    private let start = TestClock.start
    private let never = Condition.compare(column: 1, .eq, "another")
    private let always = Condition.compare(column: 1, .ne, "another")

    /// An item of `booking`, live and changed at the start unless said otherwise.
    private func item(
        _ title: Value, notes: Value = nil, attendees: Value = nil, stats: Value = nil, _ version: Int64,
        isDeleted: Bool = false, at stamp: Int64? = nil, ttl: Value = nil
    ) -> [Value] {
        [
            "b1", title, notes, attendees, stats, nil, .integer(version), isDeleted ? 1 : nil,
            .integer(stamp ?? start), ttl,
        ]
    }

    /// A store with the item b1, whose title is X, in this version.
    private func store(_ version: Int64 = 1) throws -> VersionedStore {
        let store = try VersionedStore()
        try store.create(["id": "b1", "title": "X"])
        if version > 1 {
            for version in 1..<version { try store.update("b1", ["title": "X"], version) }
        }
        return store
    }

    @Test("a create is version 1, and a second one fails at the live item")
    func create() throws {
        let store = try VersionedStore()
        #expect(try store.create(["id": "b1", "title": "X"]) == .stored(item("X", 1)))
        #expect(try store.create(["id": "b1", "title": "Y"]) == .conditionFailed(item("X", 1)))
        #expect(try store.create(["id": "b2"], if: .attributeExists(column: 1, true)) == .conditionFailed(nil))
        #expect(try store.item("b1") == item("X", 1))
        #expect(try store.item("b2") == nil)
        #expect(store.store.statistics.writes == 1)
    }

    @Test(
        "an update of the stored version is the next one, also if nothing differs",
        arguments: ConflictHandler.allCases)
    func updateEqual(handler: ConflictHandler) throws {
        let store = try store()
        store.clock.move(by: 5)
        #expect(try store.update("b1", ["title": "Y"], 1, handler) == .stored(item("Y", 2, at: start + 5)))
        store.clock.move(by: 5)
        #expect(try store.update("b1", ["title": "Y"], 2, handler) == .stored(item("Y", 3, at: start + 10)))
        #expect(try store.update("b1", [:], 3, handler) == .stored(item("Y", 4, at: start + 10)))
        #expect(try store.update("b1", ["title": nil], 4, handler) == .stored(item(nil, 5, at: start + 10)))
        #expect(try store.update("none", ["title": "Y"], 1, handler) == .conditionFailed(nil))
    }

    @Test(
        "AUTOMERGE of an update that names no version, an old one or one ahead",
        arguments: [nil, 0, 1, 9, .max, -1] as [Int64?])
    func automerge(version: Int64?) throws {
        let store = try store(3)
        #expect(try store.update("b1", ["title": "Y"], version) == .stored(item("X", 4)))
        #expect(try store.update("b1", ["notes": "n"], version) == .stored(item("X", notes: "n", 5)))
        #expect(try store.update("b1", ["title": nil], version) == .stored(item("X", notes: "n", 6)))
        try store.update("b1", ["attendees": #"["a","b"]"#, "stats": #"{"ppg":1,"apg":2}"#], 6)
        #expect(
            try store.update("b1", ["attendees": #"[ "b", "c" ]"#, "stats": #"{"ppg":3,"rpg":4}"#], version)
                == .stored(
                    item(
                        "X", notes: "n", attendees: #"["a","b","b","c"]"#, stats: #"{"ppg":1,"apg":2,"rpg":4}"#, 8)))
    }

    @Test(
        "without merging, another version is a conflict, and nothing is stored",
        arguments: [.optimisticConcurrency, .lambda] as [ConflictHandler])
    func conflict(handler: ConflictHandler) throws {
        let store = try store(2)
        let writes = store.store.statistics.writes
        for version in [nil, 0, 1, 3, 9, .max] as [Int64?] {
            for condition in [nil, never, always] {
                let outcome = try store.update("b1", ["title": "Y"], version, handler, if: condition)
                #expect(outcome == .conflict(item("X", 2), version: 2))
            }
        }
        #expect(try store.item("b1") == item("X", 2))
        #expect(store.store.statistics.writes == writes)
        // 14: once more, with the version that the conflict reported.
        #expect(try store.update("b1", ["title": "Y"], 2, handler) == .stored(item("Y", 3)))
    }

    @Test("the answer of a conflict's function is stored if the version is still the one it was given")
    func resolve() throws {
        let store = try store(2)
        try store.update("b1", ["notes": "n", "attendees": "[1]"], 2)
        func resolve(_ version: Int64) throws -> Outcome {
            let item: [(column: Int, value: Value)] = [(0, "zz"), (1, "merged"), (6, 99), (7, 1), (2, nil)]
            return Outcome(
                try store.store.perform(
                    Write.resolving(
                        ["b1"], as: item, of: store.table, expecting: version, returning: store.columns)))
        }
        let stored = try #require(try store.item("b1"))
        #expect(try resolve(2) == .conflict(stored, version: 3))
        #expect(try resolve(3) == .stored(item("merged", 4)))
        // REMOVE is a delete of that version.
        guard case .stored(let tombstone) = try store.delete("b1", 4, .lambda) else { return #expect(Bool(false)) }
        #expect(tombstone[6] == 5 && tombstone[7] == 1)
    }

    @Test(
        "a delete keeps the item as a tombstone; of another version it is a conflict under every handler",
        arguments: ConflictHandler.allCases)
    func delete(handler: ConflictHandler) throws {
        let store = try store(3)
        for version in [nil, 0, 2, 4] as [Int64?] {
            #expect(try store.delete("b1", version, handler) == .conflict(item("X", 3), version: 3))
            #expect(try store.delete("b1", version, handler, if: never) == .conflict(item("X", 3), version: 3))
        }
        #expect(try store.delete("b1", 3, handler, if: never) == .conditionFailed(item("X", 3)))
        func tombstone(_ version: Int64, at stamp: Int64) -> [Value] {
            item("X", version, isDeleted: true, at: stamp, ttl: .integer(stamp / 1_000 + 2_592_000))
        }
        #expect(try store.delete("b1", 3, handler) == .stored(tombstone(4, at: start)))
        store.clock.move(by: 7_000)
        #expect(try store.delete("b1", 4, handler) == .stored(tombstone(5, at: start + 7_000)))
        #expect(try store.delete("b1", 4, handler) == .conflict(tombstone(5, at: start + 7_000), version: 5))
        #expect(try store.delete("none", 1, handler) == .conditionFailed(nil))
    }

    @Test("an update of a tombstone leaves it one, under every handler")
    func updateTombstone() throws {
        let store = try store(3)
        try store.delete("b1", 3)
        let ttl = Value.integer(start / 1_000 + 2_592_000)
        func tombstone(_ title: Value, notes: Value = nil, _ version: Int64) -> [Value] {
            item(title, notes: notes, version, isDeleted: true, ttl: ttl)
        }
        #expect(
            try store.update("b1", ["title": "Y"], 3, .optimisticConcurrency)
                == .conflict(tombstone("X", 4), version: 4))
        #expect(try store.update("b1", ["notes": "n"], 3) == .stored(tombstone("X", notes: "n", 5)))
        #expect(try store.update("b1", ["title": "Y"], 5) == .stored(tombstone("Y", notes: "n", 6)))
    }

    @Test("a create over a tombstone fails, or continues its versions where that is asked for")
    func recreate() throws {
        let store = try store(3)
        try store.update("b1", ["notes": "n"], 3)
        try store.delete("b1", 4)
        let tombstone = try #require(try store.item("b1"))
        #expect(try store.create(["id": "b1", "title": "Y"]) == .conditionFailed(tombstone))
        let exists = Condition.attributeExists(column: 1, true)
        #expect(
            try store.create(["id": "b1", "title": "Y"], if: exists, recreates: true) == .conditionFailed(tombstone))
        #expect(try store.create(["id": "b1", "title": "Y"], recreates: true) == .stored(item("Y", 6)))
        #expect(
            try store.create(["id": "b1", "title": "Z"], recreates: true) == .conditionFailed(item("Y", 6)))
    }

    @Test("tombstones are read like any item, and filtered by _deleted")
    func readTombstones() throws {
        let store = try store()
        try store.create(["id": "b2"])
        try store.delete("b1", 1)
        #expect(try store.item("b1")?[7] == 1)
        func keys(_ filter: Condition?) throws -> [[Value]] {
            let filter = filter.map { ParameterizedCondition($0, of: store.table.table) }
            return try store.reader.rows(
                Fetch(store.table, columns: [0], access: .scan, filter: filter?.shape), filter: filter?.values ?? [])
        }
        #expect(try keys(nil) == [["b1"], ["b2"]])
        #expect(try keys(.compare(column: 7, .ne, 1)) == [["b2"]])
    }

    @Test("the condition is looked at after the version, and is about the stored item")
    func conditions() throws {
        let store = try store(2)
        #expect(try store.update("b1", ["notes": "n"], 2, if: never) == .conditionFailed(item("X", 2)))
        #expect(try store.update("b1", ["notes": "n"], 1, if: never) == .conditionFailed(item("X", 2)))
        #expect(try store.update("b1", ["notes": "n"], nil, if: always) == .stored(item("X", notes: "n", 3)))
        let hasNotes = Condition.attributeExists(column: 2, true)
        #expect(try store.update("b1", ["notes": nil], 3, if: hasNotes) == .stored(item("X", 4)))
    }

    @Test("what a caller may not write, and tables that do not fit the write, are refused")
    func refusals() throws {
        let store = try store()
        for attribute in VersionMetadata.columns.map(\.name) {
            let position = try #require(booking.position(of: attribute))
            for action in [
                Write.Action.put([(0, "b2"), (position, .integer(1))]), .update(key: ["b1"], [(position, .integer(1))]),
            ] {
                #expect {
                    try store.perform(action, if: nil, Versioning(expecting: 1, .automerge))
                } throws: {
                    ($0 as? StoreError)?.code == .invalidRequest
                }
            }
        }
        #expect { try store.store.put(store.table, ["b2"]) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
        #expect {
            try store.update("b1", ["attendees": "["], 0)
        } throws: {
            ($0 as? StoreError)?.code == .invalidRequest
        }
        let plain = try store.store.migrate(to: [message])[0]
        #expect {
            try store.store.perform(
                Write(
                    table: plain, action: .delete(key: ["r", "s"]), returning: [],
                    versioning: Versioning(expecting: 1, .automerge)))
        } throws: {
            ($0 as? StoreError)?.code == .invalidRequest
        }
        #expect {
            try store.reader.rows(Fetch(plain, columns: [0], access: .changes))
        } throws: {
            ($0 as? StoreError)?.code == .invalidRequest
        }
    }
}
