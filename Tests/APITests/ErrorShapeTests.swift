import JSON
import Testing

@testable import API

@Suite("Errors, letter by letter", .bothExecutors) struct ErrorShapeTests {
    private func service() throws -> Service {
        let service = try Service(Schemas.chat)
        try service.seed(#"mutation { createMessage(input: {id: "m", body: "b", messageAuthorId: "gone"}) { id } }"#)
        return service
    }

    @Test(
        "an error of the request has neither type nor data",
        arguments: [
            (
                "{badfield}",
                #"{"data":null,"errors":[{"path":null,"locations":[{"line":1,"column":2,"sourceName":null}],"message":"#
                    + #""Validation error of type FieldUndefined: Field 'badfield' in type 'Query' is undefined @ 'badfield'"}]}"#
            ),
            (
                "query Q(\n  $id: ID!) { getUser(id: $id) { id } }",
                #"{"data":null,"errors":[{"path":null,"locations":[{"line":2,"column":3,"sourceName":null}],"message":"#
                    + #""Variable 'id' has coerced Null value for NonNull type 'ID!'"}]}"#
            ),
        ])
    func request(query: String, text: String) throws {
        #expect(try service().text(query) == text)
    }

    @Test("all validation errors at once, and nothing runs")
    func validation() throws {
        let service = try service()
        let answer = try service.run(
            #"mutation { nosuch deleteMessage(input: {id: "m", x: 1}) { id nosuch } getUser { id } }"#)
        #expect(answer["data"] == .null)
        #expect((answer["errors"]?.arrayValue?.count ?? 0) >= 3)
        try service.expect(#"{ getMessage(id: "m") { id } }"#, data: #"{"getMessage":{"id":"m"}}"#)
    }

    @Test("an error of a resolver has path, data, type, info, location and message")
    func resolver() throws {
        let text = try service().text("mutation {\n  x: deleteUser(input: {id: \"u\"}) { id }\n}")
        let prefix =
            #"{"data":{"x":null},"errors":[{"path":["x"],"data":null,"errorType":"DynamoDB:ConditionalCheckFailedException","#
            + #""errorInfo":null,"locations":[{"line":2,"column":3,"sourceName":null}],"message":"The conditional request failed "#
            + "(Service: DynamoDb, Status Code: 400, Request ID: "
        #expect(text.hasPrefix(prefix))
        #expect(text.dropFirst(prefix.count).wholeMatch(of: /[A-Z0-9]{52}, Extended Request ID: null\)"\}\]\}/) != nil)
    }

    @Test("an error of a resolver without a type has null as its type")
    func untyped() throws {
        let text = try service().text(#"mutation { updateMessage(input: {id: "m", body: null}) { id } }"#)
        let expected =
            #"{"data":{"updateMessage":null},"errors":[{"path":["updateMessage"],"data":null,"errorType":null,"errorInfo":null,"#
            + #""locations":[{"line":1,"column":12,"sourceName":null}],"message":"An argument you marked as Non-Null is set to "#
            + #"Null in the query or the body of your request."}]}"#
        #expect(text == expected)
    }

    @Test("an error of a completion has a path with indexes, and neither location nor type")
    func completion() throws {
        let text = try service().text("{ listMessages { items { author { id } } } }")
        let expected =
            #"{"data":{"listMessages":{"items":[null]}},"errors":[{"path":["listMessages","items",0,"author"],"locations":null,"#
            + #""message":"Cannot return null for non-nullable type: 'User' within parent 'Message' (/listMessages/items[0]/author)"}]}"#
        #expect(text == expected)
    }

    @Test("a subscription over HTTP and an ambiguous operation have their errors")
    func others() throws {
        let service = try service()
        #expect(
            try service.text("subscription { onCreateUser { id } }")
                == #"{"data":null,"errors":[{"path":null,"errorType":"OperationNotSupported","locations":null,"message":"#
                + #""Subscriptions are only supported over the realtime endpoint."}]}"#)
        #expect(
            try service.text("query A { __typename } query B { __typename }")
                == #"{"errors":[{"errorType":"BadRequestException","message":"Missing operation name."}]}"#)
    }

    @Test("the place of an error counts lines and columns in characters of the document")
    func place() throws {
        let text = try service().text("# ☕ é\n{ a: __typename # é\n\n   listUsers(limit: 0) { __typename } }")
        #expect(text.contains(#""locations":[{"line":4,"column":4,"sourceName":null}]"#))
    }
}
