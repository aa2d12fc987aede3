import Foundation
import JSON
import Testing

@testable import API

/// Documents as amplify-swift and amplify-js send them, answered from the tables, against answers that are put together
/// from plain values in memory by the rules of the schema's author.
@Suite("Documents of Amplify's clients", .bothExecutors) struct ClientDocumentTests {
    /// One document with its model and its variables.
    private struct Fixture {
        var model: String
        var document: String
        var variables: JSONObject
        /// What is selected of the one root field.
        var selection: [Selection]

        init(_ name: String) throws {
            guard let folder = Bundle.module.resourceURL?.appending(path: "Fixtures/clients") else {
                throw TestFailure("the fixtures are not there")
            }
            func text(_ ending: String) throws -> String {
                try String(contentsOf: folder.appending(path: "\(name).\(ending)"), encoding: .utf8)
            }
            model = try text("model.graphql")
            document = try text("graphql")
            variables = try JSONReader.read(try text("variables.json")).objectValue ?? JSONObject()
            var words = Selection.words(of: document)
            selection = try #require(Selection.read(&words).last?.fields.first?.fields)
        }

        var variablesText: String { JSONValue.object(variables).description }
    }

    /// A field and what is selected of it; the clients use neither aliases nor fragments.
    private struct Selection {
        var name: String
        var fields: [Selection] = []

        /// Names and braces; what stands in parentheses is left out.
        static func words(of document: String) -> ArraySlice<Substring> {
            document.replacing(/\([^)]*\)/, with: " ").matches(of: /\w+|[{}]/).map(\.output)[...]
        }

        /// Up to the brace that closes.
        static func read(_ words: inout ArraySlice<Substring>) -> [Selection] {
            var fields: [Selection] = []
            while let word = words.popFirst(), word != "}" {
                if word == "{" {
                    let inner = read(&words)
                    if fields.isEmpty { fields.append(Selection(name: "query")) }
                    fields[fields.count - 1].fields = inner
                } else {
                    fields.append(Selection(name: String(word)))
                }
            }
            return fields
        }
    }

    /// The items, by type, in the order they were made, and how types lead to each other.
    private struct Memory {
        enum Relation {
            /// By the field that holds the other's id.
            case one(String, by: String)
            /// By the other's field that holds this one's id, in the order of a field of theirs.
            case many(String, by: String, order: String?)
        }

        var items: [String: [JSONObject]] = [:]
        let relations: [String: Relation] = [
            "Room.bookings": .many("Booking", by: "roomID", order: "startsAt"),
            "Booking.room": .one("Room", by: "roomID"),
            "Booking.user": .one("User", by: "userID"),
            "Thread.messages": .many("Message", by: "threadID", order: "sentAt"),
            "Thread.members": .many("UserThread", by: "threadID", order: nil),
            "UserThread.thread": .one("Thread", by: "threadID"), "UserThread.user": .one("User", by: "userID"),
            "Message.author": .one("User", by: "authorID"), "Message.thread": .one("Thread", by: "threadID"),
            "Message.replies": .many("Reply", by: "messageRepliesId", order: nil),
            "Reply.message": .one("Message", by: "messageRepliesId"),
        ]

        func answer(_ item: JSONObject?, of type: String, _ selection: [Selection]) -> JSONValue {
            guard let item else { return .null }
            var answer = JSONObject()
            for field in selection {
                switch relations["\(type).\(field.name)"] {
                case .one(let other, let key)?:
                    let related = items[other, default: []].first { $0["id"] == item[key] && item[key] != nil }
                    answer[field.name] = self.answer(related, of: other, field.fields)
                case .many(let other, let key, let order)?:
                    var related = items[other, default: []].filter { $0[key] == item["id"] }
                    if let order { related.sort { $0[order]?.stringValue ?? "" < $1[order]?.stringValue ?? "" } }
                    answer[field.name] = page(related, of: other, field.fields)
                case nil:
                    answer[field.name] = field.name == "__typename" ? .string(type) : item[field.name] ?? .null
                }
            }
            return .object(answer)
        }

        func page(_ items: [JSONObject], of type: String, _ selection: [Selection]) -> JSONValue {
            var answer = JSONObject()
            for field in selection {
                switch field.name {
                case "items": answer["items"] = .array(items.map { self.answer($0, of: type, field.fields) })
                case "__typename": answer["__typename"] = .string("Model\(type)Connection")
                default: answer[field.name] = .null
                }
            }
            return .object(answer)
        }
    }

    /// Makes the items in the service and in memory, with the moments that the service gives them.
    private func seed(_ service: Service, _ lines: [String]) throws -> Memory {
        var memory = Memory()
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            let type = String(parts[0])
            var item = try #require(try JSONReader.read(String(parts[1])).objectValue)
            let made = try service.value(
                "mutation M($input: Create\(type)Input!) { create\(type)(input: $input) { createdAt updatedAt } }",
                #"{"input": \#(parts[1])}"#, at: "create\(type)")
            for moment in ["createdAt", "updatedAt"] { item[moment] = try #require(made?[moment]) }
            memory.items[type, default: []].append(item)
        }
        return memory
    }

    private static let room = "1f0a7e52-3c5e-4a51-9f0a-0d7d8a4f6b11"
    private static let user = "c0ffee00-1111-4222-8333-444455556666"
    private static let booking = "7b1e2c34-90ab-4cde-8f01-23456789abcd"

    private static func booking(_ id: String, _ room: String, _ user: String, day: String, _ more: String = "")
        -> String
    {
        """
        Booking {"id": "\(id)", "title": "T \(id)", "startsAt": "2024-05-\(day)T09:00:00.000Z", \
        "endsAt": "2024-05-\(day)T10:00:00.000Z", "day": "2024-05-\(day)Z", "status": "REQUESTED", \
        "roomID": "\(room)", "userID": "\(user)"\(more)}
        """
    }

    private static let bookings = [
        #"Room {"id": "\#(room)", "name": "Attic", "capacity": 4, "floor": 3, "amenities": ["tv", "é"], "isActive": true}"#,
        #"Room {"id": "r2", "name": "Cellar", "capacity": 40}"#,
        #"User {"id": "\#(user)", "name": "Ada", "email": "ada@example.com"}"#,
        #"User {"id": "u2", "name": "Ben", "email": "ben@example.com"}"#,
        booking("b3", room, user, day: "03"), booking(booking, room, user, day: "02", #", "attendees": ["Ben", null]"#),
        booking("b4", "r2", user, day: "02"), booking("b5", room, "u2", day: "01"),
        booking("b6", room, "gone", day: "02"),
        booking("b7", "gone", "u2", day: "02"),
    ]

    @Test("a lazy list of bookings: a filter by the foreign key, related items as keys")
    func listBookings() throws {
        let fixture = try Fixture("swift-api-list-bookings-by-user")
        let service = try Service(fixture.model)
        let memory = try seed(service, Self.bookings)
        let found = memory.items["Booking", default: []].filter { $0["userID"] == .string(Self.user) }
        #expect(found.count == 3)
        let expected = memory.page(found, of: "Booking", fixture.selection)
        try service.expect(fixture.document, fixture.variablesText, data: #"{"listBookings":\#(expected)}"#)
    }

    @Test("a room with its bookings and their users")
    func getRoom() throws {
        let fixture = try Fixture("swift-api-get-room-includes-bookings-user")
        let service = try Service(fixture.model)
        let memory = try seed(service, Self.bookings)
        let expected = memory.answer(memory.items["Room"]?.first, of: "Room", fixture.selection)
        #expect(expected["bookings"]?["items"]?.arrayValue?.count == 4)
        try service.expect(fixture.document, fixture.variablesText, data: #"{"getRoom":\#(expected)}"#)
    }

    @Test("an update with its room")
    func updateBooking() throws {
        let fixture = try Fixture("swift-api-update-booking-includes-room")
        let service = try Service(fixture.model)
        let memory = try seed(service, Self.bookings)
        var item = try #require(memory.items["Booking"]?.first { $0["id"] == .string(Self.booking) })
        let input = try #require(fixture.variables["input"]?.objectValue)
        for (key, value) in input { item[key] = value }
        let answer = try service.run(fixture.document, fixture.variablesText)
        // The moment of the update is the service's.
        let moment = try #require(answer["data"]?["updateBooking"]?["updatedAt"]?.stringValue)
        #expect(moment > item["updatedAt"]?.stringValue ?? "")
        item["updatedAt"] = .string(moment)
        #expect(answer["errors"] == nil)
        #expect(answer["data"] == ["updateBooking": memory.answer(item, of: "Booking", fixture.selection)])
    }

    @Test("a query by an index, from the end of a range")
    func bookingsByRoom() throws {
        let fixture = try Fixture("js-api-index-bookings-by-room")
        let service = try Service(fixture.model)
        let memory = try seed(service, Self.bookings)
        let between = try #require(fixture.variables["startsAt"]?["between"]?.arrayValue)
        let bounds = between.compactMap(\.stringValue)
        let found = memory.items["Booking", default: []].filter { item in
            let moment = item["startsAt"]?.stringValue ?? ""
            return item["roomID"] == .string(Self.room) && bounds[0] <= moment && moment <= bounds[1]
        }
        #expect(found.count == 2)
        // Of one moment the later made comes first when the order is reversed.
        let expected = memory.page(found.reversed(), of: "Booking", fixture.selection)
        try service.expect(
            fixture.document, fixture.variablesText, data: #"{"bookingsByRoomIDAndStartsAt":\#(expected)}"#)
    }

    @Test("a thread with its messages, their replies, and its members")
    func getThread() throws {
        let fixture = try Fixture("swift-api-get-thread-includes-messages-replies")
        let service = try Service(fixture.model)
        let memory = try seed(
            service,
            [
                #"User {"id": "ada", "handle": "@ada", "lastSeenAt": 1714640400}"#,
                #"User {"id": "ben", "handle": "@ben"}"#,
                #"Thread {"id": "t-1", "topic": "Groceries"}"#, #"Thread {"id": "t-2", "topic": "Dogs"}"#,
                #"UserThread {"id": "m2", "userID": "ben", "threadID": "t-1"}"#,
                #"UserThread {"id": "m1", "userID": "ada", "threadID": "t-1"}"#,
                #"UserThread {"id": "m3", "userID": "ada", "threadID": "t-2"}"#,
                message("late", "t-1", "ada", day: "09"), message("early", "t-1", "ben", day: "01"),
                message("other", "t-2", "ben", day: "05"), message("lost", "t-1", "gone", day: "05"),
                #"Reply {"id": "r1", "body": "yes", "messageRepliesId": "early"}"#,
                #"Reply {"id": "r2", "body": "no"}"#,
                #"Reply {"id": "r3", "body": "both", "messageRepliesId": "early"}"#,
                #"Reply {"id": "r4", "body": "x", "messageRepliesId": "other"}"#,
            ])
        let expected = memory.answer(memory.items["Thread"]?.first, of: "Thread", fixture.selection)
        #expect(expected["messages"]?["items"]?.arrayValue?.count == 3)
        try service.expect(fixture.document, fixture.variablesText, data: #"{"getThread":\#(expected)}"#)
    }

    private func message(_ id: String, _ thread: String, _ author: String, day: String) -> String {
        """
        Message {"id": "\(id)", "body": "b \(id)", "sentAt": "2024-05-\(day)T09:00:00.000Z", "threadID": "\(thread)", \
        "authorID": "\(author)"}
        """
    }
}
