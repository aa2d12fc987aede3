import GraphQL
import Tables
import Testing

@testable import Transformer

@Suite("Tables and resolvers of the seeds")
struct SeedTests {
    private func seed(_ name: String) throws -> APIDefinition {
        let golden = try #require(Golden.all.first { $0.name == name })
        return try definition(golden.input, options: golden.options)
    }

    private func columns(_ table: Table) -> [String] { table.columns.map(\.name) }

    private func keys(_ table: Table) -> [String] {
        table.indexes.map { index in
            "\(index.name): " + index.key.columns.map { table.columns[$0].name }.joined(separator: ", ")
        }
    }

    @Test("chat: tables")
    func chatTables() throws {
        let chat = try seed("seed-chat")
        #expect(chat.models.map(\.name) == ["User", "Thread", "Message", "Reply", "UserThread"])
        #expect(columns(chat.tables[0]) == ["id", "sub", "username", "postcode", "createdAt", "updatedAt"])
        #expect(columns(chat.tables[1]) == ["id", "name", "location", "createdAt", "updatedAt"])
        #expect(
            columns(chat.tables[2]) == ["id", "body", "createdAt", "messageAuthorId", "messageThreadId", "updatedAt"])
        #expect(keys(chat.tables[0]).isEmpty)
        #expect(keys(chat.tables[1]) == ["byLocation: location"])
        #expect(
            keys(chat.tables[2]) == [
                "gsi-UserMessages: messageAuthorId", "gsi-ThreadMessages: messageThreadId, createdAt",
            ])
        #expect(
            keys(chat.tables[3]) == ["gsi-UserReplies: replyAuthorId", "gsi-MessageReplies: replyMessageId, createdAt"])
        #expect(
            keys(chat.tables[4]) == [
                "byUser: userThreadUserId, userThreadThreadId", "byThread: userThreadThreadId, userThreadUserId",
            ])
        #expect(chat.indexCount == 7)
        #expect(chat.models[2].createdAt == "createdAt" && chat.models[2].updatedAt == "updatedAt")
        #expect(chat.models[2].generatesID)
        #expect(chat.models[2].requiredFields == ["body", "createdAt"])
        #expect(chat.warnings.isEmpty)
    }

    @Test("chat: resolvers")
    func chatResolvers() throws {
        let chat = try seed("seed-chat")
        #expect(
            chat.resolver(type: "Thread", field: "messages")
                == .query(
                    QueryItems(
                        model: 2, access: .index(1), partitionKey: .parent("id"), indexSortFields: ["createdAt"],
                        kind: .connection)))
        #expect(
            chat.resolver(type: "User", field: "messages")
                == .query(QueryItems(model: 2, access: .index(0), partitionKey: .parent("id"), kind: .connection)))
        #expect(
            chat.resolver(type: "User", field: "threads")
                == .query(
                    QueryItems(
                        model: 4, access: .index(0), partitionKey: .parent("id"),
                        sortKey: .argument(name: "userThreadThreadId", fields: ["userThreadThreadId"]),
                        indexSortFields: ["userThreadThreadId"], kind: .connection)))
        #expect(
            chat.resolver(type: "Message", field: "author")
                == .related(RelatedItem(model: 0, columns: ["messageAuthorId"])))
        #expect(
            chat.resolver(type: "UserThread", field: "thread")
                == .related(RelatedItem(model: 1, columns: ["userThreadThreadId"])))
        #expect(
            chat.resolver(type: "Query", field: "ThreadByLocation")
                == .query(
                    QueryItems(
                        model: 1, access: .index(0), partitionKey: .argument("location", isRequired: true),
                        kind: .queryField)))
        #expect(
            chat.resolver(type: "Query", field: "listReplys")
                == .query(QueryItems(model: 3, access: .scan, partitionKey: .none, kind: .list)))
        #expect(chat.resolver(type: "Query", field: "getReply") == .getItem(GetItem(model: 3, arguments: ["id"])))
        #expect(chat.resolver(type: "Mutation", field: "deleteReply") == .deleteItem(model: 3))
        #expect(
            chat.resolver(type: "Subscription", field: "onCreateReply") == .subscription(mutations: ["createReply"]))
        #expect(chat.resolver(type: "Message", field: "body") == nil)
    }

    @Test("the booking schema becomes its seed's tables")
    func booking() throws {
        let booking = try seed("seed-booking")
        #expect(
            columns(booking.tables[2]) == [
                "id", "guestId", "checkInDate", "checkOutDate", "bookingRoomId", "createdAt", "updatedAt",
            ])
        #expect(
            booking.resolver(type: "Booking", field: "room")
                == .related(RelatedItem(model: 1, columns: ["bookingRoomId"])))
        #expect(booking.indexCount == 0)
        #expect(booking.tables[1].columns.map(\.type) == [.text, .text, .text, .integer, .text, .text, .text])
    }

    @Test("a composite primary key names its columns in order")
    func compositeKey() throws {
        let orders = try seed("key-primary-composite")
        #expect(columns(orders.tables[0]) == ["customerEmail", "status", "createdAt", "total", "updatedAt"])
        #expect(orders.tables[0].key == KeySchema(partitionKey: 0, sortKeys: [1, 2]))
        #expect(orders.models[0].primaryKey == ["customerEmail", "status", "createdAt"])
        #expect(orders.models[0].compositeSortKeys.isEmpty)
        #expect(!orders.models[0].generatesID)
        #expect(orders.models[0].requiredFields == ["total"])
        #expect(
            orders.resolver(type: "Query", field: "getOrder")
                == .getItem(GetItem(model: 0, arguments: ["customerEmail", "status", "createdAt"])))
        #expect(
            orders.resolver(type: "Query", field: "listOrders")
                == .query(
                    QueryItems(
                        model: 0, access: .primaryKey,
                        partitionKey: .argument("customerEmail", isRequired: false),
                        sortKey: .argument(name: "statusCreatedAt", fields: ["status", "createdAt"]),
                        indexSortFields: ["status", "createdAt"], kind: .list)))
    }

    @Test("names of the author's choice")
    func customNames() throws {
        let posts = try seed("model-custom-names")
        #expect(posts.resolver(type: "Query", field: "fetchPost") == .getItem(GetItem(model: 0, arguments: ["id"])))
        #expect(posts.resolver(type: "Mutation", field: "addPost") == .createItem(model: 0))
        #expect(posts.resolver(type: "Mutation", field: "editPost") == .updateItem(model: 0))
        #expect(posts.resolver(type: "Mutation", field: "createPost") == nil)
        #expect(
            posts.resolver(type: "Subscription", field: "onFeedUpdated")
                == .subscription(mutations: ["addPost", "editPost"]))
    }

    @Test("an undeclared id is the first column; nested types are JSON")
    func storage() throws {
        let notes = try seed("model-no-id")
        #expect(columns(notes.tables[0]) == ["id", "title", "body", "createdAt", "updatedAt"])
        let places = try seed("model-nested-nonmodel")
        #expect(places.tables[0].columns.map(\.type) == [.text, .json, .json, .json, .text, .text])
    }
}
