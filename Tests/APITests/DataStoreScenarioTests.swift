import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

/// One numbered scenario (reference: datastore-sync, "Scenarios").
struct DataStoreScenario: Sendable, CustomTestStringConvertible {
    let number: Int
    let title: String
    let handler: ConflictHandler
    let options: APIOptions
    let play: @Sendable (DataStoreStage) throws -> Void

    init(
        _ number: Int, _ title: String, _ handler: ConflictHandler = .automerge, options: APIOptions = APIOptions(),
        play: @escaping @Sendable (DataStoreStage) throws -> Void
    ) {
        (self.number, self.title, self.handler, self.options, self.play) = (number, title, handler, options, play)
    }

    var testDescription: String { "\(number). \(title)" }
}

@Suite("The scenarios of DataStore, by their numbers", .bothExecutors)
struct DataStoreScenarioTests {
    /// What the numbers that are not played yet wait for.
    static let waiting = [
        11: "a column that is a set, which no schema can declare",
        45: "retraction, which is off by default and not built",
        48: "a test over the socket", 56: "a test over the socket",
    ]

    /// Numbers that are played in other suites.
    static let elsewhere = [
        41: "TablesTests, SyncTests", 42: "TablesTests, SyncTests", 50: "ClientRuleTests", 51: "ClientRuleTests",
        52: "TablesTests, SyncTests", 57: "ReplayTests", 60: "TablesTests, SyncTests",
    ]

    @Test("each number of the specification is played, or names the test that plays it, or what it waits for")
    func numbers() {
        let played = Set((Self.mutations + Self.syncs).map(\.number))
        #expect(played.union(Self.waiting.keys).union(Self.elsewhere.keys) == Set(1...60))
    }

    @Test("a mutation is answered, stored and published", arguments: mutations)
    func mutation(scenario: DataStoreScenario) throws {
        try scenario.play(try DataStoreStage(scenario.handler, options: scenario.options))
    }

    @Test("a sync misses nothing", arguments: syncs)
    func sync(scenario: DataStoreScenario) throws {
        try scenario.play(try DataStoreStage(scenario.handler, options: scenario.options))
    }
}

extension DataStoreScenarioTests {
    static let mutations: [DataStoreScenario] = [
        DataStoreScenario(1, "create") { stage in
            let events = try stage.subscribe("onCreateBooking")
            let answer = try stage.create(
                "id: \"b1\", title: \"X\", _version: 7", select: "id title _version _deleted _lastChangedAt")
            #expect(
                answer
                    == #"{"id":"b1","title":"X","_version":1,"_deleted":null,"_lastChangedAt":1714636800000}"#)
            #expect(try stage.events(events) == [#"{"id":"b1","title":"X","_version":1,"_deleted":null}"#])
        },
        DataStoreScenario(2, "create twice") { stage in
            try stage.booking()
            let events = try stage.subscribe("onCreateBooking")
            #expect(try stage.create("id: \"b1\", title: \"Y\"") == "ConditionalCheckFailedException null")
            #expect(try stage.stored("title _version") == #"{"title":"X","_version":1}"#)
            #expect(try stage.events(events) == [])
        },
        DataStoreScenario(3, "update of the stored version") { stage in
            try stage.booking()
            let events = try stage.subscribe("onUpdateBooking")
            let item = #"{"id":"b1","title":"Y","_version":2,"_deleted":null}"#
            #expect(try stage.update("id: \"b1\", title: \"Y\", _version: 1") == item)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(4, "update that changes nothing") { stage in
            try stage.booking(2)
            let events = try stage.subscribe("onUpdateBooking")
            stage.clock.advance(5)
            #expect(
                try stage.update("id: \"b1\", title: \"X\", _version: 2", select: "_version _lastChangedAt")
                    == #"{"_version":3,"_lastChangedAt":1714636800005}"#)
            #expect(try stage.events(events).count == 1)
        },
        DataStoreScenario(5, "merge of a scalar") { stage in
            try stage.booking(3)
            let events = try stage.subscribe("onUpdateBooking")
            let item = #"{"id":"b1","title":"X","_version":4,"_deleted":null}"#
            #expect(try stage.update("id: \"b1\", title: \"Y\", _version: 1") == item)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(6, "merge without a version") { stage in
            try stage.booking(4)
            #expect(
                try stage.update("id: \"b1\", title: \"Y\"")
                    == #"{"id":"b1","title":"X","_version":5,"_deleted":null}"#)
        },
        DataStoreScenario(7, "merge of a list") { stage in
            try stage.booking(2, "attendees: [\"a\", \"b\"]")
            #expect(
                try stage.update("id: \"b1\", attendees: [\"b\", \"c\"], _version: 1", select: "attendees _version")
                    == #"{"attendees":["a","b","b","c"],"_version":3}"#)
        },
        DataStoreScenario(8, "merge of a field that is new") { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", notes: \"n\", _version: 1", select: "notes") == #"{"notes":"n"}"#)
        },
        DataStoreScenario(9, "merge of a null") { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", title: null, _version: 1", select: "title _version")
                    == #"{"title":"X","_version":3}"#)
        },
        DataStoreScenario(10, "merge of a nested type") { stage in
            try stage.booking(2, "stats: { ppg: 1.5, apg: 2.5 }")
            #expect(
                try stage.update(
                    "id: \"b1\", stats: { ppg: 9.5, rpg: 3.5 }, _version: 1", select: "stats { ppg apg rpg }")
                    == #"{"stats":{"ppg":1.5,"apg":2.5,"rpg":3.5}}"#)
        },
        DataStoreScenario(12, "a version ahead, merged") { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", title: \"Y\", _version: 9", select: "title _version")
                    == #"{"title":"X","_version":3}"#)
        },
        DataStoreScenario(12, "a version ahead, refused", .optimisticConcurrency) { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", _version: 9", select: "_version") == "ConflictUnhandled {\"_version\":2}")
        },
        DataStoreScenario(13, "a conflict is an error with the stored item", .optimisticConcurrency) { stage in
            _ = try stage.mutate("mutation { createRoom(input: {id: \"r1\", name: \"R\"}) { id } }")
            try stage.booking(2, "title: \"X\", roomID: \"r1\"")
            let events = try stage.subscribe("onUpdateBooking")
            let text = try stage.service.text(
                """
                mutation {
                  updateBooking(input: {id: "b1", title: "Y", _version: 1}) {
                    __typename id name: title room { name } _version _lastChangedAt _deleted
                  }
                }
                """)
            #expect(
                text == #"{"data":{"updateBooking":null},"errors":[{"path":["updateBooking"],"data":{"#
                    + #""__typename":"Booking","id":"b1","name":"X","room":{"name":"R"},"_version":2,"#
                    + #""_lastChangedAt":1714636800000,"_deleted":null},"errorType":"ConflictUnhandled","#
                    + #""errorInfo":null,"locations":[{"line":2,"column":3,"sourceName":null}],"#
                    + #""message":"Conflict resolver rejects mutation."}]}"#)
            #expect(try stage.stored() == #"{"_version":2,"_deleted":null}"#)
            #expect(try stage.events(events) == [])
        },
        DataStoreScenario(14, "again with the version that the error showed", .optimisticConcurrency) { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", _version: 1", select: "_version") == "ConflictUnhandled {\"_version\":2}")
            #expect(try stage.update("id: \"b1\", _version: 2", select: "_version") == #"{"_version":3}"#)
        },
        DataStoreScenario(15, "two devices that were offline", .optimisticConcurrency) { stage in
            try stage.booking()
            let events = try stage.subscribe("onUpdateBooking")
            #expect(try stage.update("id: \"b1\", title: \"A\", _version: 1", select: "_version") == #"{"_version":2}"#)
            #expect(
                try stage.update("id: \"b1\", title: \"B\", _version: 1", select: "title _version")
                    == #"ConflictUnhandled {"title":"A","_version":2}"#)
            #expect(try stage.update("id: \"b1\", title: \"B\", _version: 2", select: "_version") == #"{"_version":3}"#)
            #expect(
                try stage.events(events) == [
                    #"{"id":"b1","title":"A","_version":2,"_deleted":null}"#,
                    #"{"id":"b1","title":"B","_version":3,"_deleted":null}"#,
                ])
        },
        DataStoreScenario(16, "the function resolves", .lambda) { stage in
            try stage.booking(2, "title: \"X\", notes: \"n\"")
            let events = try stage.subscribe("onUpdateBooking")
            stage.function.answer(#"{"action":"RESOLVE","item":{"title":"merged","_version":99,"id":"zz"}}"#)
            let item = #"{"id":"b1","title":"merged","_version":3,"_deleted":null}"#
            #expect(try stage.update("id: \"b1\", title: \"Y\", notes: null, _version: 1") == item)
            #expect(try stage.stored("notes createdAt") == #"{"notes":null,"createdAt":"2023-11-14T22:13:20.001Z"}"#)
            #expect(try stage.events(events) == [item])
            let event = try #require(stage.function.events.first)
            #expect(stage.function.events.count == 1)
            #expect(event["existingItem"]?["title"] == "X" && event["existingItem"]?["notes"] == "n")
            #expect(event["existingItem"]?["_version"] == 2)
            #expect(event["newItem"]?["title"] == "Y" && event["newItem"]?["notes"] == nil)
            #expect(event["arguments"]?["input"]?["title"] == "Y")
            #expect(
                event["resolver"]?.description
                    == #"{"tableName":"Booking","awsRegion":"us-east-1","parentType":"Mutation","field":"updateBooking"}"#
            )
            #expect(event["identity"] == .null)
        },
        DataStoreScenario(17, "the function rejects", .lambda) { stage in
            try stage.booking(2)
            stage.function.answer(#"{"action":"REJECT"}"#)
            #expect(
                try stage.update("id: \"b1\", title: \"Y\", _version: 1", select: "title _version")
                    == #"ConflictUnhandled {"title":"X","_version":2}"#)
            #expect(try stage.delete("id: \"b1\", _version: 1", select: "id") == #"ConflictUnhandled {"id":"b1"}"#)
        },
        DataStoreScenario(18, "the function removes", .lambda) { stage in
            try stage.booking(2)
            let events = try stage.subscribe("onDeleteBooking")
            stage.function.answer(#"{"action":"REMOVE"}"#)
            let item = #"{"id":"b1","title":"X","_version":3,"_deleted":true}"#
            #expect(try stage.delete("id: \"b1\", _version: 1") == item)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(19, "the function fails, or answers what it may not", .lambda) { stage in
            try stage.booking(2)
            let answers: [(update: Bool, text: String?)] = [
                (true, nil), (true, ""), (true, "{}"), (true, #"{"action":"REMOVE"}"#),
                (true, #"{"action":"RESOLVE"}"#),
                (true, #"{"action":"RESOLVE","item":{"title":5}}"#), (true, #"{"action":"RESOLVE","item":[]}"#),
                (false, nil), (false, #"{"action":"RESOLVE","item":{"title":"m"}}"#),
            ]
            for (isUpdate, answer) in answers {
                stage.function.answer(answer)
                let input = "id: \"b1\", _version: 1"
                #expect(
                    try (isUpdate ? stage.update(input) : stage.delete(input)) == "ConflictError null",
                    "\(answer ?? "-")")
            }
            #expect(try stage.stored("title _version") == #"{"title":"X","_version":2}"#)
        },
        DataStoreScenario(20, "delete of the stored version") { stage in
            try stage.booking(3, "title: \"X\", notes: \"n\"")
            let events = try stage.subscribe("onDeleteBooking")
            let item = #"{"id":"b1","title":"X","_version":4,"_deleted":true}"#
            #expect(try stage.delete("id: \"b1\", _version: 3") == item)
            #expect(try stage.stored("notes") == #"{"notes":"n"}"#)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(21, "delete without a version") { stage in
            try stage.booking()
            #expect(
                try stage.delete("id: \"b1\"", select: "id _version") == #"ConflictUnhandled {"id":"b1","_version":1}"#)
            #expect(try stage.stored() == #"{"_version":1,"_deleted":null}"#)
        },
        DataStoreScenario(22, "delete of a deleted item") { stage in
            try stage.booking(3)
            _ = try stage.delete("id: \"b1\", _version: 3")
            let deleted = #"{"_version":5,"_deleted":true}"#
            #expect(try stage.delete("id: \"b1\", _version: 4", select: "_version _deleted") == deleted)
            #expect(
                try stage.delete("id: \"b1\", _version: 3", select: "_version _deleted")
                    == "ConflictUnhandled \(deleted)")
        },
        DataStoreScenario(23, "delete against update, refused", .optimisticConcurrency) { stage in
            try stage.booking(3)
            _ = try stage.delete("id: \"b1\", _version: 3")
            #expect(
                try stage.update("id: \"b1\", title: \"B\", _version: 3")
                    == #"ConflictUnhandled {"id":"b1","title":"X","_version":4,"_deleted":true}"#)
        },
        DataStoreScenario(24, "delete against update, merged") { stage in
            try stage.booking(3)
            let events = try stage.subscribe("onUpdateBooking")
            _ = try stage.delete("id: \"b1\", _version: 3")
            let item = #"{"id":"b1","title":"X","_version":5,"_deleted":true}"#
            #expect(try stage.update("id: \"b1\", title: \"B\", _version: 3") == item)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(25, "create where an item was deleted") { stage in
            try stage.booking()
            _ = try stage.delete("id: \"b1\", _version: 1")
            #expect(try stage.create("id: \"b1\", title: \"N\"") == "ConditionalCheckFailedException null")
        },
        DataStoreScenario(
            25, "create where an item was deleted makes a live one", options: APIOptions(recreatesOverTombstone: true)
        ) { stage in
            try stage.booking(1, "title: \"X\", notes: \"n\"")
            _ = try stage.delete("id: \"b1\", _version: 1")
            let events = try stage.subscribe("onCreateBooking")
            let item = #"{"id":"b1","title":"N","_version":3,"_deleted":null}"#
            #expect(try stage.create("id: \"b1\", title: \"N\", _version: 2") == item)
            #expect(try stage.stored("notes") == #"{"notes":null}"#)
            #expect(try stage.events(events) == [item])
        },
        DataStoreScenario(26, "a deleted item is got and listed") { stage in
            _ = try stage.mutate("mutation { createRoom(input: {id: \"r1\", name: \"R\"}) { id } }")
            try stage.booking(1, "roomID: \"r1\"")
            _ = try stage.delete("id: \"b1\", _version: 1")
            _ = try stage.mutate("mutation { deleteRoom(input: {id: \"r1\", _version: 1}) { id } }")
            #expect(try stage.stored() == #"{"_version":2,"_deleted":true}"#)
            let list = "{ listBookings(filter: FILTER) { items { id _deleted room { id _deleted } } startedAt } }"
            #expect(
                try stage.mutate(list.replacing("FILTER", with: "null"))
                    == #"{"items":[{"id":"b1","_deleted":true,"room":{"id":"r1","_deleted":true}}],"startedAt":null}"#)
            #expect(
                try stage.mutate(list.replacing("FILTER", with: "{_deleted: {ne: true}}"))
                    == #"{"items":[],"startedAt":null}"#)
            #expect(
                try stage.mutate("{ getRoom(id: \"r1\") { bookings { items { id } startedAt } } }")
                    == #"{"bookings":{"items":[{"id":"b1"}],"startedAt":null}}"#)
            #expect(try stage.sync().items == "-b1:2")
        },
        DataStoreScenario(
            26, "a deleted item is hidden in lists", options: APIOptions(hidesDeletedInLists: true)
        ) { stage in
            try stage.booking(1, "roomID: \"r1\"")
            _ = try stage.mutate("mutation { createRoom(input: {id: \"r1\", name: \"R\"}) { id } }")
            let nested = "{ getRoom(id: \"r1\") { bookings { items { id } } } }"
            #expect(try stage.mutate(nested) == #"{"bookings":{"items":[{"id":"b1"}]}}"#)
            _ = try stage.delete("id: \"b1\", _version: 1")
            #expect(try stage.mutate("{ listBookings { items { id } } }") == #"{"items":[]}"#)
            #expect(try stage.mutate(nested) == #"{"bookings":{"items":[]}}"#)
            #expect(try stage.stored() == #"{"_version":2,"_deleted":true}"#)
            #expect(try stage.sync().items == "-b1:2")
        },
        DataStoreScenario(27, "condition true, version equal") { stage in
            try stage.booking()
            #expect(
                try stage.update("id: \"b1\", _version: 1", condition: "{title: {eq: \"X\"}}", select: "_version")
                    == #"{"_version":2}"#)
        },
        DataStoreScenario(28, "condition false, version equal") { stage in
            try stage.booking()
            #expect(
                try stage.update("id: \"b1\", _version: 1", condition: "{title: {eq: \"Y\"}}", select: "id _version")
                    == #"ConditionalCheckFailedException {"id":"b1","_version":1}"#)
        },
        DataStoreScenario(29, "condition false, version stale, refused", .optimisticConcurrency) { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", _version: 1", condition: "{title: {eq: \"Y\"}}", select: "_version")
                    == #"ConflictUnhandled {"_version":2}"#)
        },
        DataStoreScenario(30, "condition false, version stale, merged") { stage in
            try stage.booking(2)
            #expect(
                try stage.update("id: \"b1\", _version: 1", condition: "{title: {eq: \"Y\"}}", select: "_version")
                    == #"ConditionalCheckFailedException {"_version":2}"#)
        },
        DataStoreScenario(49, "a mutation that selects only the id tells of all fields") { stage in
            let created = try stage.subscribe("onCreateBooking")
            let deleted = try stage.subscribe("onDeleteBooking")
            #expect(try stage.create("id: \"b1\", title: \"X\"", select: "id") == #"{"id":"b1"}"#)
            #expect(try stage.delete("id: \"b1\", _version: 1", select: "id") == #"{"id":"b1"}"#)
            #expect(try stage.events(created) == [#"{"id":"b1","title":"X","_version":1,"_deleted":null}"#])
            #expect(try stage.events(deleted) == [#"{"id":"b1","title":"X","_version":2,"_deleted":true}"#])
        },
        DataStoreScenario(53, "a composite key, inline and as text", play: compositeKey),
        DataStoreScenario(54, "create with a version in its input") { stage in
            let item = try stage.create("id: \"b1\", _version: 4", select: "_version")
            #expect(item == #"{"_version":1}"#)
        },
        DataStoreScenario(55, "three mutations in one document", .optimisticConcurrency) { stage in
            try stage.booking(2)
            let text = try stage.service.text(
                """
                mutation {
                  a: createBooking(input: {id: "b2"}) { _version }
                  b: updateBooking(input: {id: "b1", _version: 1}) { _version }
                  c: createBooking(input: {id: "b3"}) { _version }
                }
                """)
            let answer = try JSONReader.read(text)
            #expect(answer["data"]?.description == #"{"a":{"_version":1},"b":null,"c":{"_version":1}}"#)
            #expect(answer["errors"]?.arrayValue?.map { $0["path"] } == [["b"]])
            #expect(try stage.sync().items == "b1:2 b2:1 b3:1")
        },
        DataStoreScenario(59, "a date is answered as it was sent") { stage in
            let item = try stage.create("id: \"b1\", day: \"2024-05-02Z\"", select: "day")
            #expect(item == #"{"day":"2024-05-02Z"}"#)
            #expect(try stage.stored("day") == #"{"day":"2024-05-02Z"}"#)
        },
    ]

    static let syncs: [DataStoreScenario] = [
        DataStoreScenario(31, "an empty table") { stage in
            let text = try stage.mutate("{ syncBookings { items { id } nextToken startedAt __typename } }")
            #expect(
                text
                    == #"{"items":[],"nextToken":null,"startedAt":1714636800000,"__typename":"ModelBookingConnection"}"#
            )
        },
        DataStoreScenario(32, "2,500 rows in pages of 1,000") { stage in
            try stage.fill(2_500)
            let pages = try stage.syncAll(limit: 1_000)
            #expect(pages.map(\.count) == [1_000, 1_000, 500])
            #expect(Set(pages.map(\.startedAt)).count == 1)
            let items = pages.flatMap { $0.items.split(separator: " ") }
            #expect(Set(items).count == 2_500)
        },
        DataStoreScenario(33, "an insert between the pages") { stage in
            try stage.fill(4)
            let first = try stage.sync(limit: 2)
            stage.clock.advance(10)
            _ = try stage.create("id: \"a\"")
            let second = try stage.sync(limit: 10, token: first.nextToken)
            #expect(second.startedAt == first.startedAt)
            stage.clock.advance(10)
            #expect(try stage.sync(first.startedAt).items.split(separator: " ").contains("a:1"))
        },
        DataStoreScenario(34, "an update between the pages") { stage in
            try stage.fill(4)
            stage.clock.advance(10)
            let first = try stage.sync(limit: 2)
            #expect(first.items == "i0:1 i1:1")
            stage.clock.advance(10)
            _ = try stage.update("id: \"i0\", _version: 1")
            _ = try stage.update("id: \"i3\", _version: 1")
            #expect(try stage.sync(limit: 10, token: first.nextToken).items == "i2:1 i3:2")
            #expect(try stage.sync(first.startedAt).items == "i0:2 i3:2")
        },
        DataStoreScenario(35, "a delete between the pages") { stage in
            try stage.fill(4)
            stage.clock.advance(10)
            let first = try stage.sync(limit: 2)
            stage.clock.advance(10)
            _ = try stage.delete("id: \"i3\", _version: 1")
            #expect(try stage.sync(limit: 10, token: first.nextToken).items == "i2:1 -i3:2")
            #expect(try stage.sync(first.startedAt).items == "-i3:2")
        },
        DataStoreScenario(36, "three changes of one row") { stage in
            try stage.fill(2)
            stage.clock.advance(10)
            let base = try stage.sync()
            for version in 1...3 {
                stage.clock.advance(10)
                _ = try stage.update("id: \"i1\", _version: \(version)")
            }
            #expect(try stage.sync(base.startedAt).items == "i1:4")
        },
        DataStoreScenario(37, "nothing has changed") { stage in
            try stage.fill(2)
            stage.clock.advance(10)
            let base = try stage.sync()
            stage.clock.advance(10)
            let delta = try stage.sync(base.startedAt)
            #expect(delta.items == "" && delta.nextToken == nil && delta.startedAt == base.startedAt + 10)
        },
        DataStoreScenario(38, "a device that was away for half an hour") { stage in
            try stage.fill(3)
            _ = try stage.delete("id: \"i0\", _version: 1")
            stage.clock.advance(10)
            let base = try stage.sync()
            stage.clock.advance(31 * DataStoreStage.minute)
            _ = try stage.delete("id: \"i1\", _version: 1")
            // Our window is as long as tombstones live: only what changed.
            #expect(try stage.sync(base.startedAt).items == "-i1:2")
        },
        DataStoreScenario(39, "no last sync, zero, or null") { stage in
            try stage.fill(3)
            #expect(try stage.sync().items == "i0:1 i1:1 i2:1")
            #expect(try stage.sync(0).items == "i0:1 i1:1 i2:1")
            let null = try stage.mutate("{ syncBookings(lastSync: null) { items { id } } }")
            #expect(null == #"{"items":[{"id":"i0"},{"id":"i1"},{"id":"i2"}]}"#)
        },
        DataStoreScenario(40, "a last sync in the future") { stage in
            try stage.fill(1)
            stage.clock.advance(60 * DataStoreStage.minute)
            _ = try stage.create("id: \"b1\"")
            stage.clock.advance(9 * DataStoreStage.minute)
            let page = try stage.sync(stage.clock.milliseconds + 10 * DataStoreStage.minute)
            #expect(page.items == "b1:1" && page.startedAt == stage.clock.milliseconds)
            #expect(try stage.sync(.max).items == "i0:1 b1:1")
        },
        DataStoreScenario(43, "the server's clock steps back") { stage in
            try stage.fill(2)
            stage.clock.advance(10)
            let base = try stage.sync()
            stage.clock.advance(-5_000)
            let stamp = try stage.update("id: \"i0\", _version: 1", select: "_version _lastChangedAt")
            #expect(stamp == "{\"_version\":2,\"_lastChangedAt\":\(base.startedAt)}")
            let delta = try stage.sync(base.startedAt)
            #expect(delta.items == "i0:2" && delta.startedAt <= stage.clock.milliseconds)
            #expect(
                try stage.sync(delta.startedAt).items == "i0:2 i1:1" || stage.sync(delta.startedAt).items == "i1:1 i0:2"
            )
        },
        DataStoreScenario(44, "a filter, with an index and without") { stage in
            for (id, room) in [("b1", "r1"), ("b2", "r2"), ("b3", "r1"), ("b4", "r1")] {
                _ = try stage.create("id: \"\(id)\", roomID: \"\(room)\", notes: \"\(room)\"")
            }
            stage.clock.advance(10)
            _ = try stage.delete("id: \"b3\", _version: 1")
            for field in ["roomID", "notes"] {
                let filter = "{and: [{\(field): {eq: \"r1\"}}]}"
                let pages = try stage.syncAll(limit: 2, filter: filter)
                #expect(pages.map(\.items).joined(separator: " ") == "b1:1 -b3:2 b4:1")
                #expect(try stage.sync(DataStoreStage.start, filter: filter).items == "b1:1 b4:1 -b3:2")
            }
            #expect(try stage.sync(filter: "{_deleted: {eq: true}}").items == "-b3:2")
        },
        DataStoreScenario(46, "a token that is not this sync's") { stage in
            try stage.fill(3)
            let token = try #require(try stage.sync(limit: 1).nextToken)
            let tokens = [
                "{ syncTools(limit: 1, nextToken: \"\(token)\") { items { kind } } }",
                "{ syncBookings(limit: 1, nextToken: \"\(token)\", lastSync: 5) { items { id } } }",
                "{ syncBookings(limit: 1, nextToken: \"\(token)\", filter: {title: {eq: \"a\"}}) { items { id } } }",
                "{ syncBookings(limit: 1, nextToken: \"x\(token)\") { items { id } } }",
                "{ syncBookings(limit: 1, nextToken: \"\") { items { id } } }",
                "{ listBookings(limit: 1, nextToken: \"\(token)\") { items { id } } }",
            ]
            for query in tokens { #expect(try stage.mutate(query) == "BadRequest null", "\(query)") }
        },
        DataStoreScenario(47, "limits") { stage in
            try stage.fill(1_001)
            #expect(try stage.sync(limit: 5_000).count == 1_000)
            #expect(try stage.sync().count == 100)
            for limit in [0, -1] {
                #expect(
                    try stage.mutate("{ syncBookings(limit: \(limit)) { items { id } } }")
                        == "DynamoDB:DynamoDbException null")
            }
        },
        DataStoreScenario(58, "a device whose clock is ahead") { stage in
            try stage.fill(1)
            stage.clock.advance(60 * DataStoreStage.minute)
            _ = try stage.create("id: \"b1\"")
            stage.clock.advance(DataStoreStage.minute)
            #expect(try stage.sync(stage.clock.milliseconds + 5 * DataStoreStage.minute).items == "b1:1")
            // Long offline, its last sync is in the past by now: the margin is all that there is.
            #expect(try stage.sync(stage.clock.milliseconds + 4 * DataStoreStage.minute).items == "b1:1")
            stage.clock.advance(10 * DataStoreStage.minute)
            let ahead = stage.clock.milliseconds - 6 * DataStoreStage.minute
            #expect(try stage.sync(ahead).items == "b1:1")
        },
    ]

    @Sendable private static func compositeKey(_ stage: DataStoreStage) throws {
        let key = "kind: \"saw\", size: 30, weight: 6.5"
        let select = "kind size weight label _version _deleted"
        func tool(_ label: String, _ version: Int, _ deleted: String) -> String {
            #"{"kind":"saw","size":30,"weight":6.5,"label":"# + label
                + ",\"_version\":\(version),\"_deleted\":\(deleted)}"
        }
        #expect(
            try stage.mutate("mutation { createTool(input: {\(key)}) { \(select) } }") == tool("null", 1, "null"))
        #expect(
            try stage.mutate("mutation { updateTool(input: {\(key), label: \"L\", _version: 1}) { \(select) } }")
                == tool("\"L\"", 2, "null"))
        #expect(try stage.mutate("{ getTool(\(key)) { \(select) } }") == tool("\"L\"", 2, "null"))
        #expect(
            try stage.mutate(
                "mutation D($input: DeleteToolInput!) { deleteTool(input: $input) { \(select) } }",
                #"{"input":{"kind":"saw","size":"30","weight":"6.5","_version":2}}"#)
                == tool("\"L\"", 3, "true"))
        #expect(
            try stage.mutate("{ syncTools { items { \(select) } nextToken } }")
                == "{\"items\":[\(tool("\"L\"", 3, "true"))],\"nextToken\":null}")
    }
}

extension DataStoreStage {
    /// Bookings `i0`, `i1` and so on.
    func fill(_ count: Int) throws {
        for first in stride(from: 0, to: count, by: 100) {
            let fields = (first..<min(first + 100, count)).map {
                "c\($0): createBooking(input: {id: \"i\($0)\"}) { id }"
            }
            _ = try service.data("mutation { \(fields.joined(separator: " ")) }")
        }
    }
}

@Suite("Syncs and conflicts, beside the numbered scenarios", .bothExecutors)
struct DataStoreTests {
    @Test("an item that changes while the function decides is decided again, five times at most")
    func rounds() throws {
        let stage = try DataStoreStage(.lambda)
        try stage.booking(2)
        stage.function.answer(#"{"action":"RESOLVE","item":{"title":"merged"}}"#)
        let count = Counter()
        // Unsafe in name only: the function is called on the loop, which is this thread.
        nonisolated(unsafe) let rival = try stage.service.onAnotherLoop()
        stage.function.interrupt {
            // Two rivals come in between.
            let version = count.next()
            guard version <= 2 else { return }
            _ = try? unsafe rival.text(
                "mutation { updateBooking(input: {id: \"b1\", _version: \(version + 1)}) { id } }")
        }
        #expect(
            try stage.update("id: \"b1\", title: \"Y\", _version: 1")
                == #"{"id":"b1","title":"merged","_version":5,"_deleted":null}"#)
        #expect(stage.function.events.map { $0["existingItem"]?["_version"]?.intValue } == [2, 3, 4])

        stage.function.interrupt {
            let version = count.next() + 2
            _ = try? unsafe rival.text(
                "mutation { updateBooking(input: {id: \"b1\", _version: \(version - 1)}) { id } }")
        }
        #expect(try stage.update("id: \"b1\", title: \"Z\", _version: 1") == "MaxConflicts null")
        #expect(stage.function.events.count == 3 + 5)
        #expect(try stage.stored("title _version") == #"{"title":"merged","_version":10}"#)
    }

    @Test("a conflict that one conflict too many kept from being decided may be sent again")
    func busy() throws {
        let stage = try DataStoreStage(.lambda)
        try stage.booking(2)
        stage.function.refuse()
        let update = "updateBooking(input: {id: \"b1\", title: \"Y\", _version: 1}) { id }"
        let alone = try stage.service.send(body: Service.body("mutation { \(update) }", nil))
        #expect(alone.kind.status == 503 && alone.kind.errorType == "ServiceUnavailableException")
        // Behind a change that is stored it is this field's error, so that nothing is done twice.
        let create = "createBooking(input: {id: \"b2\"}) { id }"
        let behind = try JSONReader.read(try stage.service.text("mutation { \(create) \(update) }"))
        #expect(behind["data"]?.description == #"{"createBooking":{"id":"b2"},"updateBooking":null}"#)
        #expect(behind["errors"]?.arrayValue?.map { $0["errorType"] } == ["InternalFailure"])
        #expect(try stage.stored("title _version") == #"{"title":"X","_version":2}"#)
    }

    @Test("a selective filter makes short pages, and all of them together are all that there is")
    func boundedWork() throws {
        let stage = try DataStoreStage()
        try stage.fill(100)
        _ = try stage.create("id: \"last\", title: \"L\"")
        let pages = try stage.syncAll(limit: 2, filter: "{title: {eq: \"L\"}}")
        // A page of two looks at forty rows.
        #expect(pages.map(\.items) == ["", "", "last:1"])
        #expect(Set(pages.map(\.startedAt)).count == 1)
    }

    @Test("the parts of a page come in any order, and none needs another")
    func parts() throws {
        let stage = try DataStoreStage()
        try stage.fill(3)
        let page = try stage.mutate(
            "{ syncBookings(limit: 2) { nextToken startedAt items { id } again: items { _version } } }")
        let value = try JSONReader.read(page)
        #expect(value["items"]?.description == #"[{"id":"i0"},{"id":"i1"}]"#)
        #expect(value["again"]?.description == #"[{"_version":1},{"_version":1}]"#)
        let token = try #require(value["nextToken"]?.stringValue)
        #expect(
            try stage.mutate("{ syncBookings(limit: 2, nextToken: \"\(token)\") { nextToken items { id } } }")
                == #"{"nextToken":null,"items":[{"id":"i2"}]}"#)
    }

    @Test("a delta goes on as base when tombstones of its time are removed between two pages")
    func horizonWhilePaging() throws {
        let stage = try DataStoreStage()
        try stage.fill(6)
        stage.clock.advance(10)
        let base = try stage.sync()
        stage.clock.advance(10)
        for id in ["i1", "i2", "i3"] { _ = try stage.delete("id: \"\(id)\", _version: 1") }
        let first = try stage.sync(base.startedAt, limit: 1)
        #expect(first.items == "-i1:2")
        stage.clock.advance(31 * DataStoreStage.day)
        #expect(try stage.collect() == 3)
        let pages = try {
            var pages = [try stage.sync(base.startedAt, limit: 10, token: first.nextToken)]
            while let token = pages.last?.nextToken {
                pages.append(try stage.sync(base.startedAt, limit: 10, token: token))
            }
            return pages
        }()
        #expect(pages.map(\.items) == ["i0:1 i4:1 i5:1"])
        #expect(pages[0].startedAt == first.startedAt)
        // So does a device that was away for longer than tombstones live, and it learns of the key's next life.
        #expect(try stage.sync(base.startedAt).items == "i0:1 i4:1 i5:1")
        #expect(try stage.create("id: \"i1\"", select: "_version") == #"{"_version":3}"#)
    }

    @Test("a start that we gave out needs no margin, and after a restart it gets one")
    func margin() throws {
        let stage = try DataStoreStage()
        try stage.fill(1)
        stage.clock.advance(DataStoreStage.minute)
        let base = try stage.sync()
        stage.clock.advance(DataStoreStage.minute)
        #expect(try stage.sync(base.startedAt).items == "")
        #expect(try stage.sync(base.startedAt - 1).items == "i0:1")
    }

    @Test("the starts that are remembered are the latest of each table")
    func starts() {
        let starts = SyncStarts()
        for start in 1...20_000 { starts.insert(Int64(start), of: "A") }
        starts.insert(20_000, of: "A")
        #expect(!starts.contains(20_000 - 16_384, of: "A") && starts.contains(20_000 - 16_383, of: "A"))
        #expect(starts.contains(20_000, of: "A") && !starts.contains(20_000, of: "B"))
    }

    @Test("a sync of one model and a list of another stand in one query")
    func together() throws {
        let stage = try DataStoreStage()
        try stage.fill(2)
        #expect(
            try stage.service.data(
                "{ listBookings { items { id } } syncBookings { items { id } } syncRooms { startedAt } }")
                == #"{"listBookings":{"items":[{"id":"i0"},{"id":"i1"}]},"syncBookings":{"items":[{"id":"i0"},{"id":"i1"}]},"#
                + #""syncRooms":{"startedAt":1714636800000}}"#)
    }

    @Test("a long sync goes on at a worker")
    func worker() throws {
        var limits = APILimits()
        limits.readStepsMax = 200
        let stage = try DataStoreStage(options: APIOptions(limits: limits))
        try stage.fill(300)
        #expect(try stage.sync(limit: 1_000).count == 300)
        let list = "id title roomID _version notes attendees"
        #expect(try stage.update("id: \"i1\", title: \"a\", _version: 9", select: list).contains("\"_version\":2"))
    }

    @Test("items from before versions are of version 1 and changed when these were switched on; off is refused")
    func switched() throws {
        let clock = TestClock(DataStoreStage.start)
        let home = try Service.Home(clock: WallClock { clock.milliseconds })
        let schema = "type Note @model { id: ID! title: String }"
        let before = try Service(schema, home: home)
        try before.seed(
            "mutation { a: createNote(input: {id: \"a\"}) { id } b: createNote(input: {id: \"b\"}) { id } }")
        clock.advance(10)
        let service = try Service(
            schema,
            transform: TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency),
            home: home)
        let item = #""_version":1,"_deleted":null,"_lastChangedAt":1714636800010}"#
        try service.expect(
            "{ syncNotes { items { id _version _deleted _lastChangedAt } startedAt } }",
            data: #"{"syncNotes":{"items":[{"id":"a",\#(item),{"id":"b",\#(item)],"startedAt":1714636800010}}"#)
        try service.expect(
            "mutation { updateNote(input: {id: \"a\", title: \"t\", _version: 1}) { title _version } }",
            data: #"{"updateNote":{"title":"t","_version":2}}"#)
        #expect(
            try service.errors("mutation { deleteNote(input: {id: \"b\"}) { id } }")
                == ["ConflictUnhandled: Conflict resolver rejects mutation."])
        #expect {
            try Service(schema, home: home)
        } throws: { error in
            guard case .refusedMigration? = (error as? StoreError)?.code else { return false }
            return true
        }
        try service.expect("{ getNote(id: \"a\") { _version } }", data: #"{"getNote":{"_version":2}}"#)
    }

    @Test("a client that writes metadata is refused")
    func metadata() throws {
        let stage = try DataStoreStage()
        for field in ["_deleted: true", "_lastChangedAt: 5", "_ttl: 5"] {
            let errors = try stage.service.errors("mutation { createBooking(input: {id: \"b\", \(field)}) { id } }")
            #expect(errors.count == 1 && errors[0].contains("contains a field not in"), "\(errors)")
        }
    }

    @Test("models with versions and without live side by side")
    func mixed() throws {
        let service = try Service(
            "type A @model { id: ID! } type B @model { id: ID! }",
            transform: TransformOptions(
                conflictDetection: .version, modelConflictDetection: ["B": .none]))
        try service.seed("mutation { createA(input: {id: \"1\"}) { id } createB(input: {id: \"1\"}) { id } }")
        try service.expect(
            "mutation { updateA(input: {id: \"1\", _version: 1}) { _version } updateB(input: {id: \"1\"}) { id } }",
            data: #"{"updateA":{"_version":2},"updateB":{"id":"1"}}"#)
        try service.expect(
            "{ syncAS { items { id _version } } }", data: #"{"syncAS":{"items":[{"id":"1","_version":2}]}}"#)
    }
}

extension DataStoreStage {
    /// Removes tombstones whose time has come; how many.
    func collect() throws -> Int {
        let count = Mutex<Int?>(nil)
        service.store.collectTombstones(of: service.api.schema.tables, on: service.loop) { result in
            count.withLock { $0 = (try? result.get()) ?? -1 }
        }
        try service.loop.run { count.withLock { $0 != nil } }
        return count.withLock { $0 } ?? -1
    }
}
