import JSON
import Testing
import Transformer

@testable import API

@Suite("How a request came makes a difference to its answer", .bothExecutors) struct AnswerOptionsTests {
    /// Sends a query by URL or a body, with options, and waits.
    private func send(
        _ service: Service, _ query: String, _ variables: String? = nil, options: AnswerOptions
    ) throws -> (kind: AnswerKind, text: String) {
        try service.send(body: Service.body(query, variables), options: options)
    }

    @Test(
        "a request error in the media type of GraphQL over HTTP is a 400 without data; in AppSync's a 200 with null",
        arguments: [
            ("{ nope }", nil, "FieldUndefined"), ("{", nil, "Invalid Syntax"),
            ("query Q($id: ID!) { getUser(id: $id) { id } }", "{}", "coerced Null value"),
            ("subscription { onCreateUser { id } }", nil, "OperationNotSupported"),
        ])
    func requestErrors(query: String, variables: String?, part: String) throws {
        let service = try Service(Schemas.chat)
        let (kind, text) = try send(service, query, variables, options: AnswerOptions(refusesRequestErrors: true))
        #expect(kind.status == 400 && kind.errorType == "BadRequestException")
        #expect(text.hasPrefix(#"{"errors":[{"path":null,"#) && text.contains(part), "\(text)")
        let (appSync, appSyncText) = try send(service, query, variables, options: AnswerOptions())
        #expect(appSync.status == 200 && appSync.errorType == nil)
        #expect(appSyncText == #"{"data":null,"# + text.dropFirst())
        #expect(kind.errorTypes == appSync.errorTypes && kind.errorTypes.count == 1)
    }

    @Test("once execution has begun the status is 200 with any errors, which are distinguished by type")
    func executed() throws {
        let service = try Service(Schemas.chat)
        let options = AnswerOptions(refusesRequestErrors: true)
        let (kind, text) = try send(
            service, #"mutation { updateUser(input: {id: "nobody"}) { id } }"#, options: options)
        #expect(kind.status == 200 && kind.errorType == nil)
        #expect(kind.errorTypes == ["DynamoDB:ConditionalCheckFailedException"])
        #expect(text.hasPrefix(#"{"data":{"updateUser":null},"errors":["#))
        let (fine, _) = try send(service, "{ __typename }", options: options)
        #expect(fine == AnswerKind(status: 200))
    }

    @Test("a mutation that may not be run is refused before anything else is looked at")
    func noMutations() throws {
        let service = try Service(Schemas.chat)
        let options = AnswerOptions(allowsMutations: false)
        let query = "mutation M($i: CreateUserInput!) { createUser(input: $i) { id } }"
        let (kind, text) = try send(service, query, "{}", options: options)
        #expect(kind == AnswerKind(status: 405, errorType: "MalformedHttpRequestException"))
        #expect(
            text
                == #"{"errors":[{"errorType":"MalformedHttpRequestException","message":"A mutation is sent by POST."}]}"#
        )
        #expect(try send(service, "{ __typename }", options: options).kind.status == 200)
    }

    @Test(
        "a request out of a URL",
        arguments: [
            ("query={__typename}", #"{"data":{"__typename":"Query"}}"#),
            ("query=%7B+__typename+%7D&extensions={}&x", #"{"data":{"__typename":"Query"}}"#),
            ("query={x}&query={a:__typename}", #"{"data":{"a":"Query"}}"#),
            ("query=query+A{a:__typename}query+B{b:__typename}&operationName=B", #"{"data":{"b":"Query"}}"#),
            ("operationName=&variables=&query={__typename}", #"{"data":{"__typename":"Query"}}"#),
            ("variables=null&query={__typename}", #"{"data":{"__typename":"Query"}}"#),
            (
                "query=query($y:Boolean!){a:__typename@skip(if:$y)%20b:__typename}&variables=%7B%22y%22%3Atrue%7D",
                #"{"data":{"b":"Query"}}"#
            ),
        ])
    func url(query: String, answer: String) throws {
        let service = try Service(Schemas.chat)
        #expect(try service.send(urlQuery: query) == answer)
    }

    @Test(
        "a URL that holds no request",
        arguments: [
            nil, "", "query", "query=", "q={__typename}", "query=%7", "query=%zz", "query=%FF",
            "query={__typename}&variables=[]", "query={__typename}&variables={", "query={__typename}&variables=1",
            "query={__typename}&%=1",
        ])
    func badURL(query: String?) throws {
        let service = try Service(Schemas.chat)
        #expect(try service.send(urlQuery: query) == "Unable to parse GraphQL query.")
    }

    @Test("variables in a URL are as deep as those in a body may be")
    func depth() throws {
        var limits = APILimits()
        limits.variablesDepthMax = 3
        let service = try Service(Schemas.chat, options: APIOptions(limits: limits))
        func query(_ depth: Int) -> String {
            let lists = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return #"{"v":\#(lists)}"#
        }
        for (depth, isRead) in [(3, true), (4, false)] {
            let url = try service.send(urlQuery: "query={__typename}&variables=\(query(depth))")
            #expect((url == #"{"data":{"__typename":"Query"}}"#) == isRead)
            let body = try service.send(body: #"{"query":"{__typename}","variables":\#(query(depth))}"#)
            #expect((body.kind.status == 200) == isRead)
        }
    }

    @Test("a loop counts the plans it finds and those it has to make")
    func statistics() throws {
        let service = try Service(Schemas.chat)
        let statistics = service.context.statistics
        for query in ["{ __typename }", "{ __typename }", "{ nope }", "{ nope }", "{ a: __typename }"] {
            _ = try service.text(query)
        }
        #expect(statistics.planHitCount == 1 && statistics.planMissCount == 4 && statistics.planCount == 2)
        #expect(statistics.readHandedToWorkerCount == 0)
    }

    @Test("a clear deletes the items of all models, also those with composite keys, and names them")
    func clear() throws {
        let service = try Service(Schemas.chat)
        _ = try service.text(#"mutation { createUser(input: {id: "a", sub: "s", username: "Ada"}) { id } }"#)
        #expect(try service.text("{ listUsers { items { id } } }") == #"{"data":{"listUsers":{"items":[{"id":"a"}]}}}"#)
        #expect(try service.clear() == service.definition.models.map(\.name))
        #expect(try service.text("{ listUsers { items { id } } }") == #"{"data":{"listUsers":{"items":[]}}}"#)
    }
}
