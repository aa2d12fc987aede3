import Foundation
import JSON
import Tables
import Testing
import Transformer

@testable import API

/// The documents of amplify-swift and amplify-js, letter by letter, against models with versions; and documents as
/// amplify-swift sends them for the tutorials' models, by these rules (reference: datastore-sync, "What clients send").
///
/// A story sends them in an order that a device could. What must be answered is cut out of items in memory, which the
/// story changes by hand as the rules say.
@Suite("Documents of DataStore's clients", .bothExecutors) struct DataStoreDocumentTests {
    @Test("each document is played")
    func allPlayed() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Story.folder().path)
            .filter { $0.hasSuffix(".graphql") && !$0.hasSuffix(".model.graphql") }.map { $0.dropLast(8) }
        let played = Self.bookingDocuments + Self.messageDocuments + Self.tutorialDocuments
        #expect(Set(names.map { String($0) }) == Set(played))
        #expect(played.count == Set(played).count)
    }

    static let bookingDocuments = [
        "swift-ds-sync-room-base", "swift-ds-update-room-condition", "swift-ds-oncreate-booking",
        "swift-ds-onupdate-booking", "swift-ds-ondelete-booking", "swift-ds-create-booking", "js-ds-sync-booking-base",
        "swift-ds-legacy-sync-booking", "swift-api-update-booking-includes-room", "js-ds-update-booking",
        "swift-ds-update-booking", "js-ds-sync-booking-delta-filter", "swift-ds-sync-booking-filter",
        "swift-ds-sync-booking-delta-page2", "swift-api-list-bookings-by-user",
        "swift-api-get-room-includes-bookings-user", "js-api-index-bookings-by-room", "swift-ds-delete-booking",
        "js-ds-delete-room", "js-ds-onupdate-booking-filter",
    ]

    static let messageDocuments = [
        "js-ds-create-message", "swift-ds-create-reply-implicit-fk", "swift-ds-create-userthread",
        "swift-ds-sync-message-base", "js-ds-sync-userthread", "swift-api-get-thread-includes-messages-replies",
    ]

    static let tutorialDocuments = [
        "tutorial-booking-create", "tutorial-booking-update", "tutorial-booking-delete", "tutorial-booking-sync",
        "tutorial-chat-create-message", "tutorial-chat-sync-messages", "tutorial-chat-create-member",
        "tutorial-account-create", "tutorial-account-update", "tutorial-account-sync",
    ]

    @Test("a room, a user, and a booking from its creation to its end")
    func bookings() throws {
        let story = try Story(model: "js-api-index-bookings-by-room", played: Self.bookingDocuments)
        let (roomID, userID) = ("1f0a7e52-3c5e-4a51-9f0a-0d7d8a4f6b11", "c0ffee00-1111-4222-8333-444455556666")
        var room = try story.create("Room", ["id": .string(roomID), "name": "Green room", "capacity": 10, "floor": 2])
        #expect(room["isActive"] == .null)
        let user = try story.create("User", ["id": .string(userID), "name": "Ana", "email": "ana@example.com"])
        let created = try story.subscribe("swift-ds-oncreate-booking")
        let updated = try story.subscribe("swift-ds-onupdate-booking")
        let deleted = try story.subscribe("swift-ds-ondelete-booking")

        let filtered = try story.subscribe("js-ds-onupdate-booking-filter")

        // The condition asks for a room that is active; it is not, and the error shows the room.
        try story.play("swift-ds-update-room-condition", refused: "ConditionalCheckFailedException", showing: room)
        try story.store("Room", ["id": .string(roomID), "isActive": true, "_version": 1])
        // Now it is, but the device's version is behind: merged, as nothing of the input was null there except a list.
        room["isActive"] = true
        (room["amenities"], room["_version"]) = (["screen", "whiteboard"], 3)
        room["updatedAt"] = try story.value("Room", roomID, "updatedAt")
        try story.play("swift-ds-update-room-condition", data: room)
        try story.play("swift-ds-sync-room-base", page: [room])

        var booking = try story.create(
            "Booking", playing: "swift-ds-create-booking", with: ["room": .object(room), "user": .object(user)])
        #expect(booking["day"] == "2024-05-02Z" && booking["_version"] == 1 && booking["_deleted"] == .null)
        #expect(try story.events(created) == [try story.cut(booking, to: "swift-ds-oncreate-booking")])
        try story.play("js-ds-sync-booking-base", page: [booking])
        try story.play("swift-ds-legacy-sync-booking", page: [booking])

        // An API client sends no version, which is a conflict; merged, everything stays but the version.
        booking["_version"] = 2
        try story.play("swift-api-update-booking-includes-room", data: booking)
        #expect(try story.events(updated) == [try story.cut(booking, to: "swift-ds-onupdate-booking")])
        // The next device knows the version.
        (booking["title"], booking["_version"]) = ("Standup", 3)
        try story.play("js-ds-update-booking", data: &booking, moving: "updatedAt")
        #expect(try story.events(updated) == [try story.cut(booking, to: "swift-ds-onupdate-booking")])

        // Nothing changed since the `lastSync` of the documents.
        story.clock.advance(DataStoreStage.start + 1 - story.clock.milliseconds)
        try story.play("js-ds-sync-booking-delta-filter", page: [])
        (booking["title"], booking["attendees"], booking["_version"]) = ("Design review (moved)", .null, 4)
        booking["_lastChangedAt"] = .number(String(DataStoreStage.start + 1))
        try story.play("swift-ds-update-booking", data: &booking, moving: "updatedAt")
        #expect(try story.events(updated) == [try story.cut(booking, to: "swift-ds-onupdate-booking")])
        try story.play("js-ds-sync-booking-delta-filter", page: [booking])
        try story.play("swift-ds-sync-booking-filter", page: [booking])
        try story.play(
            "swift-ds-sync-booking-filter", changing: ["filter": ["and": [["roomID": ["eq": "elsewhere"]]]]], page: [])

        // The subscription that filters by the status received of every update.
        #expect(try story.events(filtered).compactMap { $0["_version"]?.intValue } == [2, 3, 4])

        // A second page needs a token of ours.
        let other = try story.create(
            "Booking",
            [
                "id": "b2", "title": "Retro", "startsAt": "2024-05-02T12:00:00.000Z",
                "endsAt": "2024-05-02T13:00:00.000Z", "day": "2024-05-02", "status": "REQUESTED",
                "roomID": .string(roomID), "userID": .string(userID),
            ], with: ["room": .object(room), "user": .object(user)])
        #expect(try story.events(created) == [try story.cut(other, to: "swift-ds-oncreate-booking")])
        let page = "swift-ds-sync-booking-delta-page2"
        let refused = try story.answer(to: page)
        #expect(refused["data"]?.description == #"{"syncBookings":null}"#)
        #expect(refused["errors"]?.arrayValue?.count == 1)
        let first = try story.answer(to: page, changing: ["limit": 1, "nextToken": nil])["data"]?["syncBookings"]
        #expect(first?["items"] == .array([try story.cut(booking, to: page)]))
        let token = try #require(first?["nextToken"])
        try story.play(page, changing: ["nextToken": token], page: [other], startedAt: first?["startedAt"])

        try story.play("swift-api-list-bookings-by-user", page: [booking, other])
        room["bookings"] = ["items": [.object(booking), .object(other)]]
        try story.play("swift-api-get-room-includes-bookings-user", data: room)
        try story.play("js-api-index-bookings-by-room", page: [other, booking])

        (booking["_deleted"], booking["_version"]) = (true, 5)
        try story.play("swift-ds-delete-booking", data: booking)
        #expect(try story.events(deleted) == [try story.cut(booking, to: "swift-ds-ondelete-booking")])
        try story.play("swift-ds-sync-booking-filter", page: [other, booking], isOrdered: false)
        try story.play("swift-ds-delete-booking", refused: "ConflictUnhandled", showing: booking)

        // The device takes the room for version 5.
        try story.play("js-ds-delete-room", refused: "ConflictUnhandled", showing: room)
        for version in 3...4 { try story.store("Room", ["id": .string(roomID), "_version": .number("\(version)")]) }
        (room["_deleted"], room["_version"]) = (true, 6)
        room["updatedAt"] = try story.value("Room", roomID, "updatedAt")
        room["_lastChangedAt"] = .number(String(story.clock.milliseconds))
        try story.play("js-ds-delete-room", data: room)
        booking["room"] = .object(room)
        #expect(try story.value("Booking", "b2", "room { id _deleted }") == ["id": .string(roomID), "_deleted": true])
        try story.play("swift-ds-legacy-sync-booking", page: [booking, other].map { with($0, room) })
        #expect(story.isOver)
    }

    private func with(_ booking: JSONObject, _ room: JSONObject) -> JSONObject {
        var booking = booking
        booking["room"] = .object(room)
        return booking
    }

    @Test("a message, its reply and a member of the thread are synced")
    func messages() throws {
        let story = try Story(
            model: "swift-api-get-thread-includes-messages-replies", played: Self.messageDocuments)
        story.clock.advance(DataStoreStage.start + 1 - story.clock.milliseconds)
        let user = try story.create("User", ["id": "c0ffee00-1111-4222-8333-444455556666", "handle": "ana"])
        var thread = try story.create("Thread", ["id": "t-1", "topic": "Plans"])
        let (ofThread, ofUser) = (JSONValue.object(thread), JSONValue.object(user))
        var message = try story.create(
            "Message", playing: "js-ds-create-message", with: ["thread": ofThread, "author": ofUser])
        let reply = try story.create(
            "Reply", playing: "swift-ds-create-reply-implicit-fk", with: ["message": .object(message)])
        let member = try story.create(
            "UserThread", playing: "swift-ds-create-userthread", with: ["thread": ofThread, "user": ofUser])
        try story.play("swift-ds-sync-message-base", page: [message])
        try story.play("js-ds-sync-userthread", page: [member])
        message["replies"] = ["items": [.object(reply)]]
        thread["messages"] = ["items": [.object(message)]]
        thread["members"] = ["items": [.object(member)]]
        try story.play("swift-api-get-thread-includes-messages-replies", data: thread)
        #expect(story.isOver)
    }

    private static func documents(_ prefix: String) -> [String] { tutorialDocuments.filter { $0.hasPrefix(prefix) } }

    @Test("the tutorial of bookings: a foreign key named by convention, and dates with a zone")
    func bookingTutorial() throws {
        let story = try Story(schema: Schemas.booking, .v1, played: Self.documents("tutorial-booking"))
        let room = try story.create(
            "Room", ["id": "loft", "description": "Loft", "city": "Paris", "price": 120, "imageKey": "loft"])
        var booking = try story.create("Booking", playing: "tutorial-booking-create", with: ["room": .object(room)])
        #expect(booking["checkInDate"] == "2020-12-15Z")
        (booking["checkOutDate"], booking["_version"]) = ("2020-12-20Z", 2)
        try story.play("tutorial-booking-update", data: &booking, moving: "updatedAt")
        (booking["_deleted"], booking["_version"]) = (true, 3)
        try story.play("tutorial-booking-delete", data: booking)
        try story.play("tutorial-booking-sync", page: [booking])
        #expect(story.isOver)
    }

    @Test("the tutorial of chats: named connections, and a creation time of the device's")
    func chatTutorial() throws {
        let story = try Story(schema: Schemas.chat, .v1, played: Self.documents("tutorial-chat"))
        let createdAt = JSONValue.string("2020-12-15T09:00:00.000Z")
        let user = try story.create(
            "User", ["id": "ana", "sub": "s-1", "username": "Ana", "createdAt": createdAt])
        let thread = try story.create(
            "Thread", ["id": "t-1", "name": "Party", "location": "SW1A", "createdAt": createdAt])
        let (ofUser, ofThread) = (JSONValue.object(user), JSONValue.object(thread))
        let message = try story.create(
            "Message", playing: "tutorial-chat-create-message", with: ["author": ofUser, "thread": ofThread])
        #expect(message["createdAt"] == "2020-12-15T09:30:00.000Z")
        _ = try story.create(
            "UserThread", playing: "tutorial-chat-create-member", with: ["user": ofUser, "thread": ofThread])
        try story.play("tutorial-chat-sync-messages", page: [message])
        #expect(story.isOver)
    }

    @Test("the tutorial of cash flow: a balance, which two devices change")
    func accountTutorial() throws {
        let story = try Story(schema: Schemas.cashFlow, .v1, played: Self.documents("tutorial-account"))
        var account = try story.create("Account", playing: "tutorial-account-create", with: [:])
        (account["balance"], account["_version"]) = (0.1, 2)
        try story.play("tutorial-account-update", data: &account, moving: "updatedAt")
        // The other device's change, with the same version, is merged into it: nothing of it is left.
        account["_version"] = 3
        try story.play("tutorial-account-update", data: account)
        try story.play("tutorial-account-sync", page: [account])
        #expect(story.isOver)
    }
}

/// A service with versions, the documents that are played over it, and how an answer is held against items.
final class Story {
    let service: Service
    let clock: TestClock
    private var unplayed: Set<String>

    static func folder() throws -> URL {
        guard let resources = Bundle.module.resourceURL else { throw TestFailure("the fixtures are not there") }
        return resources.appending(path: "Fixtures/clients")
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder().appending(path: name), encoding: .utf8)
    }

    convenience init(model: String, played: [String]) throws {
        try self.init(schema: Self.text("\(model).model.graphql"), .v2, played: played)
    }

    init(schema: String, _ version: TransformOptions.TransformerVersion, played: [String]) throws {
        // An hour before the `lastSync` of the documents.
        let clock = TestClock(DataStoreStage.start - 60 * DataStoreStage.minute)
        self.clock = clock
        unplayed = Set(played)
        service = try Service(
            schema, transform: TransformOptions(transformerVersion: version, conflictDetection: .version),
            home: Service.Home(clock: WallClock { clock.milliseconds }))
    }

    /// Whether every document was played.
    var isOver: Bool { unplayed.isEmpty }

    // MARK: - Documents

    private func request(_ name: String, changing changes: JSONObject) throws -> (document: String, variables: String) {
        unplayed.remove(name)
        var variables = try JSONReader.read(Self.text("\(name).variables.json")).objectValue ?? JSONObject()
        for (name, value) in changes { variables[name] = value }
        return (try Self.text("\(name).graphql"), JSONValue.object(variables).description)
    }

    func answer(to name: String, changing changes: JSONObject = JSONObject()) throws -> JSONValue {
        let (document, variables) = try request(name, changing: changes)
        return try service.run(document, variables)
    }

    /// The one root field must be this item, cut to the document's selection, letter by letter.
    func play(_ name: String, data item: JSONObject, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        let answer = try answer(to: name)
        let data = JSONObject([(try root(name).name, try cut(item, to: name))])
        #expect(
            answer.description == JSONValue.object(["data": .object(data)]).description, sourceLocation: sourceLocation)
    }

    /// The same, and a timestamp of the service's has moved; the item gets it.
    func play(
        _ name: String, data item: inout JSONObject, moving field: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let answer = try answer(to: name)
        let found = answer["data"]?[try root(name).name]
        #expect((found?[field]?.stringValue ?? "") > (item[field]?.stringValue ?? "?"), sourceLocation: sourceLocation)
        item[field] = found?[field]
        #expect(
            try found?.description == cut(item, to: name).description, "\(answer)", sourceLocation: sourceLocation)
    }

    /// Refused with one error, which shows the item.
    func play(
        _ name: String, refused errorType: String, showing item: JSONObject,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let answer = try answer(to: name)
        let root = JSONValue.string(try root(name).name)
        let errors = answer["errors"]?.arrayValue ?? []
        #expect(answer["data"]?.objectValue?.first?.value == .null && errors.count == 1, sourceLocation: sourceLocation)
        #expect(errors.first?["errorType"] == .string(errorType), sourceLocation: sourceLocation)
        #expect(errors.first?["path"] == .array([root]), sourceLocation: sourceLocation)
        #expect(
            try errors.first?["data"]?.description == cut(item, to: name).description, sourceLocation: sourceLocation)
    }

    /// The one root field must be a page of these items, the last one, with a start if it is a sync's.
    func play(
        _ name: String, changing changes: JSONObject = JSONObject(), page items: [JSONObject], isOrdered: Bool = true,
        startedAt: JSONValue? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let root = try root(name)
        let answer = try answer(to: name, changing: changes)
        let page = answer["data"]?[root.name]
        var found = (page?["items"]?.arrayValue ?? []).map(\.description)
        var expected = try items.map { try cut($0, to: name).description }
        if !isOrdered { (found, expected) = (found.sorted(), expected.sorted()) }
        #expect(found == expected && page?["items"]?.arrayValue != nil, "\(answer)", sourceLocation: sourceLocation)
        for field in root.fields where field.name == "nextToken" || field.name == "startedAt" {
            let isStart = field.name == "startedAt"
            let value = isStart ? startedAt ?? .number(String(clock.milliseconds)) : .null
            #expect(page?[field.name] == value, sourceLocation: sourceLocation)
        }
    }

    func subscribe(_ name: String) throws -> TestSubscriber {
        let (document, variables) = try request(name, changing: JSONObject())
        return try service.subscribe(document, variables)
    }

    /// The items that a subscriber was sent since the last call.
    func events(_ subscriber: TestSubscriber) throws -> [JSONValue] {
        try service.deliver()
        return try subscriber.take().map { try JSONReader.read($0)["data"]?.objectValue?.first?.value ?? .null }
    }

    // MARK: - Items

    /// Creates an item with the simplest of documents; what is stored of it, and what it is connected to.
    func create(_ type: String, _ input: JSONObject, with others: JSONObject = JSONObject()) throws -> JSONObject {
        let timestamps = "createdAt updatedAt _lastChangedAt"
        let answer = try service.run(
            "mutation ($input: Create\(type)Input!) { create\(type)(input: $input) { \(timestamps) } }",
            JSONValue.object(["input": .object(input)]).description)
        return try item(type, input, answer, others)
    }

    /// Creates an item with a client's document, whose answer must be what it sent.
    func create(
        _ type: String, playing name: String, with others: JSONObject,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> JSONObject {
        let answer = try answer(to: name)
        let variables = try JSONReader.read(Self.text("\(name).variables.json"))
        let item = try item(type, variables["input"]?.objectValue ?? JSONObject(), answer, others)
        #expect(
            try answer["data"]?["create\(type)"]?.description == cut(item, to: name).description, "\(answer)",
            sourceLocation: sourceLocation)
        return item
    }

    private func item(
        _ type: String, _ input: JSONObject, _ answer: JSONValue, _ others: JSONObject
    ) throws -> JSONObject {
        guard let created = answer["data"]?["create\(type)"], let createdAt = created["createdAt"],
            let updatedAt = created["updatedAt"], input["createdAt"] != nil || createdAt == updatedAt
        else { throw TestFailure("not created: \(answer)") }
        var item = input
        for (name, value) in others { item[name] = value }
        (item["createdAt"], item["updatedAt"]) = (input["createdAt"] ?? createdAt, updatedAt)
        (item["__typename"], item["_version"], item["_deleted"]) = (.string(type), 1, .null)
        item["_lastChangedAt"] = .number(String(clock.milliseconds))
        for name in ["amenities", "attendees", "isActive", "lastSeenAt", "floor", "postcode"] where item[name] == nil {
            item[name] = .null
        }
        return item
    }

    /// Updates an item with the simplest of documents.
    func store(_ type: String, _ input: JSONObject) throws {
        _ = try service.data(
            "mutation ($input: Update\(type)Input!) { update\(type)(input: $input) { id } }",
            JSONValue.object(["input": .object(input)]).description)
    }

    func value(_ type: String, _ id: String, _ selection: String) throws -> JSONValue? {
        let answer = try service.run("{ get\(type)(id: \"\(id)\") { \(selection) } }")
        return answer["data"]?["get\(type)"]?.objectValue?.first?.value
    }

    // MARK: - Selections

    /// A field and what is selected of it; the clients use neither aliases nor fragments.
    struct Selection {
        var name: String
        var fields: [Selection] = []

        /// Cuts a value to what is selected of it; what it lacks is a mistake of the story.
        func cut(_ value: JSONValue) throws -> JSONValue {
            switch value {
            case .array(let elements) where !fields.isEmpty: return .array(try elements.map(cut))
            case .object(let object) where !fields.isEmpty:
                return .object(
                    JSONObject(
                        try fields.map { field in
                            guard let value = object[field.name] else { throw TestFailure("no \(field.name)") }
                            return (field.name, try field.cut(value))
                        }))
            default: return value
            }
        }
    }

    /// The one root field of a document.
    private func root(_ name: String) throws -> Selection {
        try Self.root(of: Self.text("\(name).graphql"))
    }

    static func root(of document: String) throws -> Selection {
        // Names and braces; what stands in parentheses is left out.
        var words = document.replacing(/\([^)]*\)/, with: " ").matches(of: /\w+|[{}]/).map(\.output)[...]
        words = words.drop { $0 != "{" }.dropFirst()
        func inside() -> [Selection] {
            var fields: [Selection] = []
            while let word = words.popFirst(), word != "}" {
                if word != "{" {
                    fields.append(Selection(name: String(word)))
                    if words.first == "{" {
                        words.removeFirst()
                        fields[fields.count - 1].fields = inside()
                    }
                }
            }
            return fields
        }
        guard let root = inside().first else { throw TestFailure("no field in \(document)") }
        return root
    }

    /// An item as a document selects it, directly or on a page.
    func cut(_ item: JSONObject, to name: String) throws -> JSONValue {
        let root = try root(name)
        return try (root.fields.first { $0.name == "items" } ?? root).cut(.object(item))
    }
}
