import JSON
import Testing

@testable import API

@Suite("Null at Non-Null positions", .bothExecutors) struct NullPropagationTests {
    private func service() throws -> Service {
        let service = try Service(Schemas.chat)
        try service.seed(
            """
            mutation {
              u: createUser(input: {id: "u", sub: "s", username: "Ada"}) { id }
              t: createThread(input: {id: "t", name: "Dogs", location: "here"}) { id }
              a: createMessage(input: {id: "a", body: "1", messageAuthorId: "gone", messageThreadId: "t", createdAt: "2026-01-01T00:00:00Z"}) { id }
              b: createMessage(input: {id: "b", body: "2", messageAuthorId: "u", messageThreadId: "t", createdAt: "2026-01-02T00:00:00Z"}) { id }
              c: createMessage(input: {id: "c", body: "3", messageAuthorId: "gone", messageThreadId: "t", createdAt: "2026-01-03T00:00:00Z"}) { id }
            }
            """)
        return service
    }

    private func missing(_ path: String, _ slashed: String) -> String {
        "\(path) Cannot return null for non-nullable type: 'User' within parent 'Message' (\(slashed))"
    }

    @Test("the nearest nullable parent is null; an element of a list is one")
    func propagation() throws {
        let service = try service()
        try service.expect(
            #"{ x: __typename getMessage(id: "a") { id author { id } body } y: __typename }"#,
            data: #"{"x":"Query","getMessage":null,"y":"Query"}"#,
            errors: [missing("getMessage/author", "/getMessage/author")])
        try service.expect(
            #"{ getThread(id: "t") { name messages { items { id from: author { username } } nextToken } location } }"#,
            data: #"{"getThread":{"name":"Dogs","messages":{"items":[null,{"id":"b","from":{"username":"Ada"}},null],"#
                + #""nextToken":null},"location":"here"}}"#,
            errors: [
                missing("getThread/messages/items/0/from", "/getThread/messages/items[0]/from"),
                missing("getThread/messages/items/2/from", "/getThread/messages/items[2]/from"),
            ])
    }

    @Test("indices count the items of the page, not the rows that were read")
    func filtered() throws {
        try service().expect(
            #"{ listMessages(filter: {id: {ge: "b"}}) { items { author { id } } } }"#,
            data: #"{"listMessages":{"items":[{"author":{"id":"u"}},null]}}"#,
            errors: [missing("listMessages/items/1/author", "/listMessages/items[1]/author")])
    }

    @Test("errors inside what turns null stay; the paths are those of the response")
    func errorsStay() throws {
        try service().expect(
            #"{ m: getMessage(id: "a") { replies(limit: 0) { items { id } } author { id } } }"#, data: #"{"m":null}"#,
            errors: [
                "m/replies DynamoDB:DynamoDbException: 1 validation error detected: Value '0' at 'limit' failed to satisfy "
                    + "constraint: Member must have value greater than or equal to 1",
                missing("m/author", "/m/author"),
            ])
    }

    @Test("the answer of a write turns null the same way, but it is written")
    func ofWrite() throws {
        let service = try service()
        try service.expect(
            #"mutation { createMessage(input: {id: "d", body: "4", messageAuthorId: "gone"}) { id author { id } } __typename }"#,
            data: #"{"createMessage":null,"__typename":"Mutation"}"#,
            errors: [missing("createMessage/author", "/createMessage/author")])
        try service.expect(#"{ getMessage(id: "d") { body } }"#, data: #"{"getMessage":{"body":"4"}}"#)
    }

    @Test("rows that lack a newly required field, or hold a value that an enum has lost, fail that field alone")
    func olderRows() throws {
        let older = "type Post @model { id: ID! title: String state: State tags: [State] } enum State { NEW OLD }"
        let newer = "type Post @model { id: ID! title: String! state: State tags: [State] } enum State { NEW }"
        let service = try Service(older)
        try service.seed(#"mutation { createPost(input: {id: "a", state: OLD, tags: [NEW, OLD]}) { id } }"#)
        try service.seed(#"mutation { createPost(input: {id: "b", title: "t", state: NEW}) { id } }"#)
        let reloaded = try service.reloaded(newer)
        try reloaded.expect(
            "{ listPosts { items { id title } } getPost(id: \"a\") { id state tags } }",
            data:
                #"{"listPosts":{"items":[null,{"id":"b","title":"t"}]},"getPost":{"id":"a","state":null,"tags":["NEW",null]}}"#,
            errors: [
                "listPosts/items/0/title Cannot return null for non-nullable type: 'String' within parent 'Post' "
                    + "(/listPosts/items[0]/title)",
                "getPost/state Can't serialize value (/getPost/state) : Invalid input for Enum 'State'. Unknown value 'OLD'",
                "getPost/tags/1 Can't serialize value (/getPost/tags[1]) : Invalid input for Enum 'State'. Unknown value 'OLD'",
            ])
    }
}
