import GraphQL
import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Long reads, short times, large answers") struct LongReadTests {
    /// A service over a user, a thread and its messages. It may take hardly a step on its loop: a read moves to a worker
    /// when SQLite first looks at its budget, after a thousand steps, which is a page of a hundred or two.
    private func service(
        messages: Int = 300, _ change: (inout APILimits) -> Void = { $0.readStepsMax = 1 }
    ) throws -> Service {
        let seeding = try Service(Schemas.chat)
        let creations = (0..<messages).map {
            #"m\#($0): createMessage(input: {id: "m\#($0)", body: "b\#($0)", messageAuthorId: "u", messageThreadId: "t"}) { id }"#
        }
        try seeding.seed(
            """
            mutation { createUser(input: {id: "u", sub: "s", username: "Ada"}) { id }
              createThread(input: {id: "t", name: "Dogs", location: "here"}) { id } \(creations.joined(separator: " ")) }
            """)
        var limits = APILimits()
        change(&limits)
        return try Service(Schemas.chat, options: APIOptions(limits: limits), home: seeding.home)
    }

    static let requests = [
        #"{ getUser(id: "u") { id messages { items { id author { username } } nextToken } } }"#,
        #"{ listMessages(filter: {body: {contains: "1"}}) { items { body thread { name messages(limit: 2) { nextToken items { id } } } } } }"#,
        #"{ ThreadByLocation(location: "here") { items { messages(sortDirection: DESC) { items { id } } } } }"#,
        "{ listMessages(limit: 7) { nextToken items { id } } none: getUser(id: \"x\") { id } bad: listUsers(limit: 0) { nextToken } }",
        #"mutation { updateThread(input: {id: "t", name: "Cats"}) { name messages { items { id author { id messages { items { id } } } } } } }"#,
        #"mutation { a: updateUser(input: {id: "u", sub: "1"}) { messages { items { body } } } b: updateUser(input: {id: "v", sub: "1"}) { id } c: updateUser(input: {id: "u", sub: "2"}) { sub messages { items { body } } } }"#,
    ]

    @Test("a request that moves to a worker is answered as if it had not")
    func moved() throws {
        let slow = try service()
        let fast = try Service(Schemas.chat, home: slow.home)
        for request in Self.requests {
            let steady = { (text: String) in text.replacing(/Request ID: [A-Z0-9]{52}/, with: "") }
            #expect(try steady(slow.text(request)) == steady(fast.text(request)))
        }
    }

    @Test("a mutation that moves to a worker leaves the kept rows to its loop")
    func keepsToItself() throws {
        let service = try service()
        let answer = try service.text(
            #"mutation { updateThread(input: {id: "t", name: "Cats"}) { messages(limit: 1000) { items { id body } } } }"#
        )
        #expect(answer.split(separator: "\"body\"").count == 301)
        #expect(service.context.statistics.readHandedToWorkerCount == 1)
        let keptCount = try #require(service.context.rows).entryCount
        #expect(keptCount < 300, "the loop kept what it had read before the move")
    }

    @Test("a client reads its own write on a worker too")
    func readsItsWrite() throws {
        let service = try service()
        for number in 1...10 {
            try service.expect(
                """
                mutation { createMessage(input: {id: "n\(number)", body: "n", messageAuthorId: "u"}) {
                    author { messages(filter: {id: {eq: "n\(number)"}}, limit: 1000) { items { id } } } } }
                """,
                data: #"{"createMessage":{"author":{"messages":{"items":[{"id":"n\#(number)"}]}}}}"#)
            #expect(
                try service.ids(
                    "{ listMessages(filter: {body: {eq: \"n\"}}, limit: 1000) { items { id } } }", at: "listMessages"
                )
                .split(separator: " ").count == number)
        }
    }

    @Test("a request that takes too long ends with ExecutionTimeout")
    func timeout() throws {
        let service = try service { limits in
            limits.readStepsMax = 1
            limits.executionSeconds = 0
        }
        #expect(
            try service.text("{ listMessages(limit: 1000) { items { id } } }")
                == #"{"data":null,"errors":[{"path":null,"errorType":"ExecutionTimeout","locations":null,"message":"Execution timed out."}]}"#
        )
    }

    @Test(
        "a write whose selection takes too long is committed; the fields after it are not begun; the answer is whole")
    func timeoutAfterWrite() throws {
        let service = try service { limits in
            limits.readStepsMax = 1
            limits.executionSeconds = 1
            limits.resolverCountLimit = .max
            limits.responseBytesMax = 1 << 30
        }
        // Three hundred messages, each with its author's three hundred, each with its author's.
        let selection =
            "messages(limit: 300) { items { author { messages(limit: 300) { items { id author { id } } } } } }"
        let answer = try service.run(
            """
            mutation {
              first: updateUser(input: {id: "u", sub: "t"}) { author: id messages(limit: 300) {
                items { author { \(selection) } } } }
              second: updateUser(input: {id: "u", username: "Bea"}) { sub username }
            }
            """)
        #expect(answer["data"]?.description == #"{"first":null,"second":null}"#)
        let errors = answer["errors"]?.arrayValue ?? []
        #expect(errors.map { $0["errorType"]?.stringValue } == ["ExecutionTimeout", "ExecutionTimeout"])
        #expect(errors.map { $0["path"]?.description } == [#"["first"]"#, #"["second"]"#])
        try service.expect(
            #"{ getUser(id: "u") { sub username } }"#, data: #"{"getUser":{"sub":"t","username":"Ada"}}"#)
    }

    @Test("a mutation whose time is over before its turn comes writes nothing")
    func timeoutBeforeWrite() throws {
        let service = try service { $0.executionSeconds = 0 }
        #expect(
            try service.text(#"mutation { updateUser(input: {id: "u", sub: "late"}) { sub } }"#)
                == #"{"data":null,"errors":[{"path":null,"errorType":"ExecutionTimeout","locations":null,"message":"Execution timed out."}]}"#
        )
        try service.expect(#"{ getUser(id: "u") { sub } }"#, data: #"{"getUser":{"sub":"s"}}"#)
    }

    @Test("no room among the workers is a 503 that clients may retry")
    func busy() throws {
        let service = try service { limits in
            limits.readStepsMax = 1
            limits.workerQueueCountMax = 0
        }
        let (kind, text) = try service.send(body: Service.body("{ listMessages(limit: 1000) { items { id } } }", nil))
        #expect(kind == AnswerKind(status: 503, errorType: "ServiceUnavailableException"))
        #expect(
            text
                == #"{"errors":[{"errorType":"ServiceUnavailableException","message":"The service is busy. Try again."}]}"#
        )
        try service.expect(#"{ getUser(id: "u") { id } }"#, data: #"{"getUser":{"id":"u"}}"#)
    }

    @Test(
        "an answer is bounded in bytes, whichever way it grows",
        arguments: [
            "{ listMessages { items { id body createdAt updatedAt } } }",
            #"{ getUser(id: "u") { messages { items { id author { messages { items { id } } } } } } }"#,
            "{ " + (0..<100).map { "a\($0): getUser(id: \"u\") { username createdAt }" }.joined(separator: " ") + " }",
        ])
    func large(query: String) throws {
        let service = try service(messages: 30) { $0.responseBytesMax = 2_000 }
        try service.expect(query, data: "null", errors: ["BadRequest: The response is larger than the server allows."])
        try service.expect(#"{ getUser(id: "u") { id } }"#, data: #"{"getUser":{"id":"u"}}"#)
    }

    @Test(
        "an item of which one column is selected under many aliases is not written far past the bound",
        arguments: ["", "@include(if: true)"])
    func aliases(directive: String) throws {
        let service = try service(messages: 0) { $0.responseBytesMax = 1_000_000 }
        let text = String(repeating: "x", count: 100_000)
        _ = try service.run(#"mutation { updateUser(input: {id: "u", sub: "\#(text)"}) { id } }"#)
        let aliases = (0..<1000).map { "a\($0): sub \(directive)" }.joined(separator: " ")
        let document = Array("{ getUser(id: \"u\") { \(aliases) } }".utf8)
        guard case .plan(let plan) = service.api.schema.plan(document, operationName: nil) else {
            throw TestFailure("no plan")
        }
        let reader = try #require(service.context.liveReader)
        reader.beginRequest(budget: .loop(steps: 1_000_000))
        defer { reader.endTurn() }
        let variables = try plan.operation.variables.coerceVariableValues(nil, schema: service.definition.schema)
        var completion = Completion(
            scope: Completion.Scope(
                schema: service.api.schema, plan: plan, variables: variables, identity: .apiKey,
                source: Completion.Source(reader: reader)), writer: JSONWriter(capacity: 64))
        do throws(StoreError) {
            try completion.completeOperation()
            Issue.record("a hundred megabytes were written")
        } catch { #expect(error.code == .invalidRequest) }
        #expect(completion.writer.capacity < 8_000_000)
    }

    @Test("errors count towards the size of an answer")
    func manyErrors() throws {
        let service = try service(messages: 0) { $0.responseBytesMax = 20_000 }
        let fields = (0..<200).map { "a\($0): listUsers(limit: 0) { nextToken }" }.joined(separator: " ")
        try service.expect(
            "{ \(fields) }", data: "null", errors: ["BadRequest: The response is larger than the server allows."])
    }

    @Test("an answer of a write that grew too large does not undo the write")
    func largeAnswerOfWrite() throws {
        let service = try service(messages: 10) { $0.responseBytesMax = 1_000 }
        let answer = try service.run(
            #"mutation { updateUser(input: {id: "u", sub: "new"}) { messages { items { id body createdAt updatedAt author { id createdAt } } } } }"#
        )
        #expect(answer["data"]?.description == #"{"updateUser":null}"#)
        #expect(answer["errors"]?.arrayValue?.count == 1)
        try service.expect(#"{ getUser(id: "u") { sub } }"#, data: #"{"getUser":{"sub":"new"}}"#)
    }

    @Test("an event is completed on its loop although the request before it has spent its budget")
    func eventAfterLongRead() throws {
        var limits = APILimits()
        limits.readStepsMax = 20_000
        let service = try Service("type Note @model { id: ID! body: String }", options: APIOptions(limits: limits))
        // The bytes of an event are charged as 2,500 steps.
        let variables = "{\"t\": \"\(String(repeating: "a", count: 40_000))\"}"
        func create(_ id: Int, on service: Service) throws {
            _ = try service.data(
                "mutation M($t: String) { createNote(input: {id: \"\(id)\", body: $t}) { id body } }", variables)
        }
        for id in 0..<12 { try create(id, on: service) }
        let subscriber = try service.subscribe("subscription { onCreateNote { id body } }")
        // Another loop publishes the event; this one reads before it looks at its inbox.
        let moved = service.context.statistics.readHandedToWorkerCount
        try create(12, on: service.onAnotherLoop())
        #expect(subscriber.payloads.isEmpty)
        _ = try service.data("{ listNotes { items { id body } } }")
        try service.deliver()
        #expect(subscriber.payloads.count == 1)
        #expect(service.context.statistics.readHandedToWorkerCount == moved + 1)
    }
}
