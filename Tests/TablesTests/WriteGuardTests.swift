import Testing

@testable import Tables

@Suite("A write says whether its rules refuse it or its condition fails")
struct WriteGuardTests {
    /// Columns of `task`.
    private static let owner = 1
    private static let status = 2
    private static let tags = 6

    private static func isOwned(by names: Value...) -> Condition { .isAny(column: owner, TextSet(names)) }
    private static let isShared = Condition.isAny(column: tags, TextSet(texts: ["red", "blue"]))

    /// Ann owns the item; groups that are tags of it may write the status, and everyone the tags.
    private static func writeGuard(for name: Value, writing fields: [String]) -> WriteGuard {
        WriteGuard(
            full: isOwned(by: name), admission: .or([isOwned(by: name), isShared]),
            fields: fields.map { field in
                WriteGuard.Field(name: field, condition: field == "status" ? isShared : .never)
            })
    }

    private func update(
        _ table: StoredTable, _ id: Value, _ attributes: [(column: Int, value: Value)], if condition: Condition? = nil,
        _ writeGuard: WriteGuard
    ) -> Write {
        Write(
            table: table, action: .update(key: [id], attributes), condition: condition, writeGuard: writeGuard,
            returning: [0])
    }

    /// The items 1, which has a tag, and 2; both are Ann's. The folder stays as long as it is kept.
    private func store() throws -> (SQLiteStore, StoredTable, TemporaryFolder) {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        let table = try store.migrate(to: [task])[0]
        try store.put(table, ["1", "ann", "new", 1, nil, nil, #"["red"]"#, nil])
        try store.put(table, ["2", "ann", "new", 1, nil, nil, nil, nil])
        return (store, table, folder)
    }

    private func isStored(_ result: WriteResult) -> Bool { if case .item = result { true } else { false } }

    @Test("an update is refused for the item, for some fields, or by its condition, in this order")
    func update() throws {
        let (store, table, folder) = try store()
        defer { withExtendedLifetime(folder) { store.close() } }
        let fails = Condition.compare(column: Self.status, .eq, "other")
        let status: [(column: Int, value: Value)] = [(Self.status, "x")]
        let ann = Self.writeGuard(for: "ann", writing: ["status", "priority"])
        #expect(isStored(try store.perform(update(table, "1", status, ann))))
        #expect(try store.perform(update(table, "1", status, if: fails, ann)) == .conditionFailed())
        let limited = Self.writeGuard(for: "bob", writing: ["status"])
        #expect(isStored(try store.perform(update(table, "1", status, limited))))
        #expect(try store.perform(update(table, "1", status, if: fails, limited)) == .conditionFailed())
        // The second item has no tag.
        #expect(try store.perform(update(table, "2", status, limited)) == .notPermitted(.item))
        #expect(try store.perform(update(table, "2", status, if: fails, limited)) == .notPermitted(.item))
        let denied = Self.writeGuard(for: "bob", writing: ["priority", "status", "effort", "priority"])
        for condition in [nil, fails] {
            #expect(
                try store.perform(update(table, "1", status, if: condition, denied))
                    == .notPermitted(.fields(["priority", "effort"])))
        }
    }

    @Test("for a missing item, the rules that need no item decide")
    func missing() throws {
        let (store, table, folder) = try store()
        defer { withExtendedLifetime(folder) { store.close() } }
        let dynamic = Self.writeGuard(for: "ann", writing: ["status"])
        #expect(try store.perform(update(table, "9", [], dynamic)) == .notPermitted(.item))
        let fixed = WriteGuard(full: .never, admission: .always, fields: [.init(name: "status", condition: .always)])
        #expect(try store.perform(update(table, "9", [], fixed)) == .conditionFailed())
        let denied = WriteGuard(full: .never, admission: .always, fields: [.init(name: "status", condition: .never)])
        #expect(try store.perform(update(table, "9", [], denied)) == .notPermitted(.fields(["status"])))
        let open = WriteGuard(full: .always, admission: .never)
        #expect(try store.perform(update(table, "9", [], open)) == .conditionFailed())
        #expect(isStored(try store.perform(update(table, "2", [], open))))
    }

    @Test("a delete is refused for the item or by its condition, and removes nothing then")
    func delete() throws {
        let (store, table, folder) = try store()
        defer { withExtendedLifetime(folder) { store.close() } }
        func delete(_ id: Value, by name: Value, if condition: Condition? = nil) throws -> WriteResult {
            let isOwned = Self.isOwned(by: name)
            return try store.perform(
                Write(
                    table: table, action: .delete(key: [id]), condition: condition,
                    writeGuard: WriteGuard(full: isOwned, admission: isOwned), returning: [0]))
        }
        #expect(try delete("1", by: "bob") == .notPermitted(.item))
        #expect(try delete("9", by: "ann") == .notPermitted(.item))
        #expect(try delete("1", by: "ann", if: .attributeExists(column: 7, true)) == .conditionFailed())
        let reader = try store.makeReader()
        #expect(try reader.rows(Fetch(table, columns: [0], access: .scan)) == [["1"], ["2"]])
        #expect(isStored(try delete("1", by: "ann")))
        reader.endTurn()
        #expect(try reader.rows(Fetch(table, columns: [0], access: .scan)) == [["2"]])
    }

    @Test("a guard looks at the item that the write before it has left, also in one transaction")
    func order() throws {
        let (store, table, folder) = try store()
        defer { withExtendedLifetime(folder) { store.close() } }
        let results = Monitor<[WriteResult]>([])
        // Ann gives the item away and writes it again; all of it waits for the writer at once.
        for attributes in [[(Self.owner, "bob")], [(Self.status, "late")], [(Self.owner, "ann")]]
            as [[(column: Int, value: Value)]]
        {
            let isOwned = Self.isOwned(by: "ann")
            let write = update(table, "2", attributes, WriteGuard(full: isOwned, admission: isOwned))
            store.write(write, on: TestExecutor()) { made in
                results.update { results in
                    if case .success(let result) = made { results.append(result) }
                    return true
                }
            }
        }
        let made = results.wait { $0.count == 3 ? $0 : nil }
        #expect(isStored(made[0]))
        #expect(Array(made.dropFirst()) == [.notPermitted(.item), .notPermitted(.item)])
    }

    @Test(
        "a versioned write is refused by its rules before its version is looked at", arguments: ConflictHandler.allCases
    )
    func versioned(handler: ConflictHandler) throws {
        let store = try VersionedStore()
        try store.create(["id": "b1", "title": "X", "room": "ann"])
        let before = try store.item("b1")
        func update(_ name: Value, _ version: Int64?, if condition: Condition? = nil, fields: [String] = []) throws
            -> Outcome
        {
            let isOwned = Condition.isAny(column: 5, TextSet([name]))
            let full: Condition = fields.isEmpty ? isOwned : .never
            return try store.perform(
                .update(key: ["b1"], [(1, "Y")]), if: condition,
                guardedBy: WriteGuard(
                    full: full, admission: isOwned, fields: fields.map { .init(name: $0, condition: .never) }),
                Versioning(expecting: version, handler))
        }
        let fails = Condition.compare(column: 1, .eq, "Z")
        for version in [nil, 1, 7] as [Int64?] {
            #expect(try update("bob", version) == .notPermitted(.item))
            #expect(try update("bob", version, if: fails) == .notPermitted(.item))
            #expect(try update("ann", version, fields: ["title"]) == .notPermitted(.fields(["title"])))
        }
        #expect(try update("ann", 1, if: fails) == .conditionFailed(before))
        #expect(try store.item("b1") == before)
        let isOwned = Condition.isAny(column: 5, TextSet(texts: ["ann"]))
        let owned = WriteGuard(full: isOwned, admission: isOwned)
        let missing = try store.perform(
            .update(key: ["b9"], [(1, "Y")]), if: nil, guardedBy: owned, Versioning(expecting: 1, handler))
        #expect(missing == .notPermitted(.item))
        let foreign = WriteGuard(
            full: .isAny(column: 5, TextSet(texts: ["bob"])), admission: .isAny(column: 5, TextSet(texts: ["bob"])))
        let deleted = try store.perform(
            .delete(key: ["b1"]), if: nil, guardedBy: foreign, Versioning(expecting: 1, handler))
        #expect(deleted == .notPermitted(.item))
        if case .stored(let item) = try update("ann", 1) { #expect(item[6] == 2) } else { Issue.record("not stored") }
        if handler == .automerge, case .stored(let item) = try update("ann", 1) { #expect(item[6] == 3) }
    }
}
