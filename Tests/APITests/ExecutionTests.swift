import JSON
import Testing

@testable import API

@Suite("Execution", .bothExecutors) struct ExecutionTests {
    private func service() throws -> Service {
        let service = try Service(Schemas.chat)
        try service.seed(
            """
            mutation {
              u: createUser(input: {id: "u", sub: "s", username: "Ada", postcode: "SW1A"}) { id }
              v: createUser(input: {id: "v", sub: "s", username: "Ben"}) { id }
              t: createThread(input: {id: "t", name: "Dogs", location: "here"}) { id }
              m: createMessage(input: {id: "m", body: "hi", messageAuthorId: "u", messageThreadId: "t"}) { id }
            }
            """)
        return service
    }

    static let selections: [(query: String, data: String)] = [
        // Keys stand in the order of the selection; aliases may repeat a field.
        (#"{ getUser(id: "u") { username id } }"#, #"{"getUser":{"username":"Ada","id":"u"}}"#),
        (
            #"{ a: getUser(id: "u") { id } b: getUser(id: "v") { id name: username again: username } c: getUser(id: "w") { id } }"#,
            #"{"a":{"id":"u"},"b":{"id":"v","name":"Ben","again":"Ben"},"c":null}"#
        ),
        // Equal fields are merged, with their selections, where the first of them stands.
        (
            #"{ getUser(id: "u") { id } x: __typename getUser(id: "u") { username id } }"#,
            #"{"getUser":{"id":"u","username":"Ada"},"x":"Query"}"#
        ),
        (
            #"{ getThread(id: "t") { messages { items { id } } name messages { items { author { id } } nextToken } } }"#,
            #"{"getThread":{"messages":{"items":[{"id":"m","author":{"id":"u"}}],"nextToken":null},"name":"Dogs"}}"#
        ),
        // Fragments, named and inline, nested, on the type or on nothing.
        (
            #"{ getUser(id: "u") { ...F ... on User { postcode } ... { sub } } } fragment F on User { id ...G } fragment G on User { username }"#,
            #"{"getUser":{"id":"u","username":"Ada","postcode":"SW1A","sub":"s"}}"#
        ),
        (#"{ ...Q } fragment Q on Query { getUser(id: "u") { id } }"#, #"{"getUser":{"id":"u"}}"#),
        // The name of every type.
        (
            #"{ __typename getThread(id: "t") { __typename messages { __typename items { kind: __typename author { __typename } } } } }"#,
            #"{"__typename":"Query","getThread":{"__typename":"Thread","messages":{"__typename":"ModelMessageConnection","#
                + #""items":[{"kind":"Message","author":{"__typename":"User"}}]}}}"#
        ),
        // Only the item or only the page, without a column.
        (
            #"{ getUser(id: "u") { __typename } listUsers { items { __typename } } a: listUsers { __typename } }"#,
            #"{"getUser":{"__typename":"User"},"listUsers":{"items":[{"__typename":"User"},{"__typename":"User"}]},"#
                + #""a":{"__typename":"ModelUserConnection"}}"#
        ),
        // The same list twice in one connection object.
        (
            #"{ listUsers { a: items { id } b: items { username } } }"#,
            #"{"listUsers":{"a":[{"id":"u"},{"id":"v"}],"b":[{"username":"Ada"},{"username":"Ben"}]}}"#
        ),
        // Without commas, with commas and comments, with a byte order mark.
        ("query,Q,{getUser(id:\"u\"),{id,,,username}}# end", #"{"getUser":{"id":"u","username":"Ada"}}"#),
        ("\u{FEFF}{ getUser(id: \"\"\"u\"\"\") { id } }", #"{"getUser":{"id":"u"}}"#),
    ]

    @Test("selections")
    func selection() throws {
        let service = try service()
        for (query, data) in Self.selections { try service.expect(query, data: data) }
    }

    @Test(
        "@skip and @include, constant and by variable, on fields and fragments",
        arguments: [
            (
                #"{ getUser(id: "u") { id @skip(if: true) username @include(if: true) sub @include(if: false) } }"#,
                "{}", #"{"getUser":{"username":"Ada"}}"#
            ),
            (
                #"query Q($v: Boolean!) { getUser(id: "u") { id username @include(if: $v) sub @skip(if: $v) } }"#,
                #"{"v": true}"#,
                #"{"getUser":{"id":"u","username":"Ada"}}"#
            ),
            (
                #"query Q($v: Boolean!) { getUser(id: "u") { id username @include(if: $v) sub @skip(if: $v) } }"#,
                #"{"v": false}"#,
                #"{"getUser":{"id":"u","sub":"s"}}"#
            ),
            (
                #"query Q($v: Boolean = false) { a: __typename getUser(id: "u") @include(if: $v) { id } }"#, "{}",
                #"{"a":"Query"}"#
            ),
            (
                #"query Q($v: Boolean!) { getUser(id: "u") { ... @skip(if: $v) { id } ...F @include(if: $v) } } fragment F on User { sub }"#,
                #"{"v": true}"#, #"{"getUser":{"sub":"s"}}"#
            ),
            (
                #"query Q($v: Boolean!) { getUser(id: "u") { id @skip(if: $v) ... on User { id @include(if: $v) } } }"#,
                #"{"v": true}"#,
                #"{"getUser":{"id":"u"}}"#
            ),
            (
                #"query Q($v: Boolean!) { getUser(id: "u") { id @skip(if: $v) @include(if: $v) username } }"#,
                #"{"v": false}"#,
                #"{"getUser":{"username":"Ada"}}"#
            ),
            (
                #"query Q($v: Boolean!) { listUsers(limit: 1) { items @skip(if: $v) { id } nextToken @skip(if: $v) __typename } }"#,
                #"{"v": true}"#, #"{"listUsers":{"__typename":"ModelUserConnection"}}"#
            ),
            (#"query Q($v: Boolean!) { getUser(id: "u") @skip(if: $v) { id } }"#, #"{"v": true}"#, "{}"),
            (
                #"mutation M($v: Boolean!) { updateUser(input: {id: "u", sub: "x"}) @skip(if: $v) { id } __typename }"#,
                #"{"v": true}"#,
                #"{"__typename":"Mutation"}"#
            ),
        ])
    func inclusion(query: String, variables: String, data: String) throws {
        let service = try service()
        try service.expect(query, variables, data: data)
        try service.expect(#"{ getUser(id: "u") { sub } }"#, data: #"{"getUser":{"sub":"s"}}"#)
    }

    @Test(
        "variables: values, defaults, unused ones that were given, and unset ones",
        arguments: [
            ("query Q($id: ID!) { getUser(id: $id) { id } }", #"{"id": "u", "other": 1}"#, #"{"getUser":{"id":"u"}}"#),
            ("query Q($id: ID = \"v\") { getUser(id: $id) { id } }", "{}", #"{"getUser":{"id":"v"}}"#),
            ("query Q($id: ID = \"v\") { getUser(id: $id) { id } }", #"{"id": null}"#, #"{"getUser":{"id":"v"}}"#),
            (
                "query Q($l: Int) { listUsers(limit: $l) { items { id } } }", "{}",
                #"{"listUsers":{"items":[{"id":"u"},{"id":"v"}]}}"#
            ),
            (
                "query Q($l: Int) { listUsers(limit: $l) { items { id } } }", "null",
                #"{"listUsers":{"items":[{"id":"u"},{"id":"v"}]}}"#
            ),
            (
                "query Q($l: Int) { listUsers(limit: $l) { items { id } } }", #"{"l": 1}"#,
                #"{"listUsers":{"items":[{"id":"u"}]}}"#
            ),
            (
                "query Q($n: String!) { listUsers(filter: {or: [{username: {eq: $n}}]}) { items { id } } }",
                #"{"n": "Ben"}"#,
                #"{"listUsers":{"items":[{"id":"v"}]}}"#
            ),
            (
                "query Q($f: [ModelUserFilterInput]) { listUsers(filter: {or: $f}) { items { id } } }",
                #"{"f": {"id": {"eq": "v"}}}"#,
                #"{"listUsers":{"items":[{"id":"v"}]}}"#
            ),
        ])
    func variables(query: String, variables: String, data: String) throws {
        try service().expect(query, variables, data: data)
    }

    @Test("one of several operations, by its name")
    func operationName() throws {
        let service = try service()
        let document =
            #"query A { getUser(id: "u") { id } } query B { getUser(id: "v") { id } } mutation C { __typename }"#
        try service.expect(document, operationName: "A", data: #"{"getUser":{"id":"u"}}"#)
        try service.expect(document, operationName: "B", data: #"{"getUser":{"id":"v"}}"#)
        try service.expect(document, operationName: "C", data: #"{"__typename":"Mutation"}"#)
        try service.expect(document, operationName: "A", data: #"{"getUser":{"id":"u"}}"#)
    }

    @Test("operations under names of their own, and models that implement an interface")
    func names() throws {
        let service = try Service(
            """
            interface Named { title: String! }
            type Post implements Named @model(
              queries: { get: "fetchPost", list: "allPosts" }
              mutations: { create: "addPost", update: "editPost", delete: "removePost" }
            ) { id: ID! title: String! }
            """)
        try service.expect(
            #"mutation { addPost(input: {id: "a", title: "t"}) { id ... on Named { title } } editPost(input: {id: "a", title: "u"}) { title } }"#,
            data: #"{"addPost":{"id":"a","title":"t"},"editPost":{"title":"u"}}"#)
        try service.expect(
            #"{ fetchPost(id: "a") { ...N } allPosts { items { ...N id } } } fragment N on Named { __typename title }"#,
            data:
                #"{"fetchPost":{"__typename":"Post","title":"u"},"allPosts":{"items":[{"__typename":"Post","title":"u","id":"a"}]}}"#
        )
        try service.expect(
            #"mutation { removePost(input: {id: "a"}) { title } }"#, data: #"{"removePost":{"title":"u"}}"#)
    }

    @Test(
        "what never reaches GraphQL is HTTP 400",
        arguments: [
            (
                #"{"query": "query A { __typename } query B { __typename }"}"#, "BadRequestException",
                "Missing operation name."
            ),
            (
                #"{"query": "query A { __typename }", "operationName": "B"}"#, "BadRequestException",
                "Unknown operation named 'B'."
            ),
            ("", "MalformedHttpRequestException", "Request body is empty."),
            ("meow", "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            ("{}", "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            ("[]", "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            (#"{"query": ""}"#, "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            (#"{"query": 5}"#, "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            (
                #"{"query": "{ __typename }", "variables": []}"#, "MalformedHttpRequestException",
                "Unable to parse GraphQL query."
            ),
            (
                #"{"query": "{ __typename }", "operationName": 1}"#, "MalformedHttpRequestException",
                "Unable to parse GraphQL query."
            ),
            (#"[{"query": "{ __typename }"}]"#, "MalformedHttpRequestException", "Unable to parse GraphQL query."),
            (#"{"query": "{ __typename }"}}"#, "MalformedHttpRequestException", "Unable to parse GraphQL query."),
        ])
    func badRequest(body: String, errorType: String, message: String) throws {
        let (kind, text) = try service().send(body: body)
        #expect(kind == AnswerKind(status: 400, errorType: errorType))
        // The harness gives the bare message of an envelope that could not be read.
        #expect(text == message || text == #"{"errors":[{"errorType":"\#(errorType)","message":"\#(message)"}]}"#)
    }

    @Test(
        "the envelope: other members, nulls, escapes",
        arguments: [
            #"{"query": "{ __typename }", "variables": null, "operationName": null, "extensions": {"a": [1]}, "id": 5}"#,
            #"  {"variables": {}, "query": "{\n\t__typename # \u00e9 \ud83d\ude00\n}"}  "#,
            #"{"query": "{ x }", "query": "{ __typename }"}"#,
        ])
    func envelope(body: String) throws {
        let (kind, text) = try service().send(body: body)
        #expect(kind == AnswerKind(status: 200))
        #expect(text == #"{"data":{"__typename":"Query"}}"#)
    }

    @Test("the error of a subscription over HTTP names the realtime endpoint")
    func subscription() throws {
        try service().expect(
            "subscription { onCreateUser { id } }", data: "null",
            errors: ["OperationNotSupported: Subscriptions are only supported over the realtime endpoint."])
    }

    @Test("an operation is bounded in tokens and in depth")
    func bounds() throws {
        var limits = APILimits()
        limits.documentTokensMax = 50
        limits.documentDepthMax = 6
        let service = try Service(Schemas.chat, options: APIOptions(limits: limits))
        let long = "{ " + String(repeating: "a: __typename ", count: 30) + "}"
        #expect(try service.errors(long).count == 1)
        let deep = "{ getUser(id: 1) { threads { items { user { threads { items { id } } } } } } }"
        #expect(try service.errors(deep).count == 1)
        try service.expect("{ a: __typename }", data: #"{"a":"Query"}"#)
    }
}
