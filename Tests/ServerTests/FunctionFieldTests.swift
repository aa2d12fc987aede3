import API
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Fields that functions over HTTP answer")
struct FunctionFieldTests {
    private typealias Answer = FunctionServer.Answer

    private static let schema = """
        type Query { f(n: Int): String @function(name: "f") g: Item @function(name: "f") }
        type Mutation { fire: Item @function(name: "f") }
        type Item @model { id: ID! title: String badge: String @function(name: "f") other: Item @connection }
        """

    /// A server whose function `f` answers at a URL.
    private func with(
        _ url: String, schema: String = schema, mode: Service.Mode = .dev,
        log: Log = Log(format: .text, level: .critical), _ change: (inout Configuration) -> Void = { _ in },
        _ body: (TestServer, Client) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: schema, mode: mode, log: log,
            { configuration in
                configuration.functions = FunctionList([Function(name: "f", url: url)])
                // However slow this machine is, what a test holds is held until it is released.
                configuration.limits.functions.callSeconds = 3600
                configuration.limits.api.executionSeconds = 3600
                change(&configuration)
            }
        ) { server in try await body(server, try server.connect()) }
    }

    /// Sends a query without waiting for its answer.
    private func send(_ query: String, on client: Client) throws {
        try client.send(
            Client.request("POST", "/graphql", headers: Client.usualHeaders, body: Client.envelope(query)))
    }

    /// The type and the message of the one error of an answer.
    private func error(_ answer: String) throws -> String {
        let errors = try JSONReader.read(answer)["errors"]?.arrayValue ?? []
        #expect(errors.count == 1, "\(answer)")
        return "\(errors.first?["errorType"]?.stringValue ?? "?"): \(errors.first?["message"]?.stringValue ?? "?")"
    }

    @Test("a function is posted the event with the headers of the request, and its answer is the value")
    func event() async throws {
        try await FunctionServer.with(Answer(body: #""hello""#)) { function, url in
            try await with(url) { _, client in
                let answer = try client.ask(
                    headers: Client.usualHeaders.merging(["Cookie": "secret", "X-Trace": "t"]) { $1 },
                    body: Client.envelope("{ a: f(n: 3) }"))
                #expect(answer.body == #"{"data":{"a":"hello"}}"#)
                let call = try #require(function.calls.first)
                #expect(call.head == "POST /decide?key=secret application/json")
                #expect(
                    call.event.objectValue?.keys == [
                        "typeName", "fieldName", "arguments", "identity", "source", "request", "prev",
                    ])
                #expect(call.event["arguments"]?.description == #"{"n":3}"#)
                let headers = call.event["request"]?["headers"]
                #expect(headers?["x-trace"] == "t" && headers?["content-type"] == "application/json")
                #expect(headers?["cookie"] == nil && headers?["host"] != nil)
                #expect(call.event["identity"] == .null && call.event["source"] == .null)
            }
        }
    }

    @Test("a function does not receive an operator's token, and receives any other")
    func operatorToken() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await FunctionServer.with(Answer(body: "1")) { function, url in
            try await with(url) {
                ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            } _: { server, client in
                let token = try Operators.create("ada", role: .viewer, of: server.configuration)
                for (header, isKept) in [("Bearer \(token)", false), ("Bearer other", true)] {
                    let headers = Client.usualHeaders.merging(["Authorization": header]) { $1 }
                    _ = try client.ask(headers: headers, body: Client.envelope("{ f }"))
                    let received = function.calls.last?.event["request"]?["headers"]?["authorization"]?.stringValue
                    #expect(received == (isKept ? header : nil))
                }
            }
        }
    }

    @Test("a large answer, which is parsed off the event loops, is the value as any other, also beside small ones")
    func largeAnswer() async throws {
        let text = String(repeating: "x", count: 3 << 20)
        try await FunctionServer.with(Answer(body: "\"\(text)\"")) { function, url in
            try await with(url) { _, client in
                #expect(try client.graphql("{ a: f b: f(n: 1) }") == #"{"data":{"a":"\#(text)","b":"\#(text)"}}"#)
                function.release(Answer(body: #"{"id": "# + text))
                let error = try self.error(client.graphql("{ f }"))
                #expect(error.hasPrefix("Lambda:IllegalArgument: "))
            }
        }
    }

    @Test("an answer of a model's type has connections below it, and items have fields of functions")
    func models() async throws {
        let item = Answer(body: #"{"id": "new", "title": "T", "itemOtherId": "one"}"#)
        try await FunctionServer.with(item) { function, url in
            try await with(url) { _, client in
                _ = try client.graphql(#"mutation { createItem(input: {id: "one", title: "One"}) { id } }"#)
                #expect(
                    try client.graphql("mutation { fire { title other { id } } }")
                        == #"{"data":{"fire":{"title":"T","other":{"id":"one"}}}}"#)
                function.release(Answer(body: #""gold""#))
                #expect(
                    try client.graphql("{ listItems { items { id badge } } }")
                        == #"{"data":{"listItems":{"items":[{"id":"one","badge":"gold"}]}}}"#)
                #expect(function.calls.last?.event["source"]?["title"] == "One")
            }
        }
    }

    /// What a function does, and the error of its field.
    private static let failures: [(answer: Answer?, error: String)] = [
        (Answer(status: 500, body: "1"), "Lambda:Unhandled: The function 'f' failed: HTTP status 500"),
        (Answer(status: 204, body: ""), "Lambda:Unhandled: The function 'f' failed: HTTP status 204"),
        (
            Answer(status: 302, fields: [("Location", "/")], body: "1"),
            "Lambda:Unhandled: The function 'f' failed: HTTP status 302"
        ),
        (
            Answer(
                fields: [("X-Amz-Function-Error", "Unhandled")],
                body: #"{"errorMessage": "boom", "errorType": "TypeError"}"#), "Lambda:Unhandled: boom"
        ),
        (Answer(fields: [("X-Amz-Function-Error", "Handled")], body: "nothing"), "Lambda:Unhandled: "),
        (Answer(body: "no json"), "Lambda:IllegalArgument: Unable to parse the response of the function 'f' as JSON."),
        (
            Answer(body: "\"\(String(repeating: "x", count: 200))\""),
            "Lambda:Unhandled: Response payload size exceeded maximum allowed payload size (128 bytes)."
        ),
    ]

    @Test("a function that gives no answer is the error of its field, and the rest of the answer stands")
    func failures() async throws {
        for (answer, expected) in Self.failures {
            try await FunctionServer.with(answer) { function, url in
                try await with(url, { $0.limits.functions.answerBytesMax = 128 }) { _, client in
                    let answer = try client.graphql("{ f __typename }")
                    #expect(try error(answer) == expected)
                    #expect(try JSONReader.read(answer)["data"]?.description == #"{"f":null,"__typename":"Query"}"#)
                    #expect(function.calls.count == 1, "a call is not repeated")
                }
            }
        }
    }

    @Test("a function that is silent for longer than it may be has timed out, and so has one at the request's end")
    func timeouts() async throws {
        try await FunctionServer.with(nil) { _, url in
            try await with(url, { $0.limits.functions.callSeconds = 1 }) { _, client in
                let found = try error(try client.graphql("{ f }"))
                #expect(found.hasPrefix("Lambda:Unhandled: RequestId: "))
                #expect(found.hasSuffix(" Error: Task timed out after 1.00 seconds"))
            }
            try await with(url, { $0.limits.api.executionSeconds = 1 }) { _, client in
                let found = try error(try client.graphql("{ f }"))
                #expect(
                    found
                        == "Lambda:ExecutionTimeoutException: Execution timed out.")
            }
        }
    }

    @Test("a URL at which nothing listens, or that may not be called, is an error without an address; the log has it")
    func unreachable() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
        try await with("http://127.0.0.1:1/") { _, client in
            let found = try error(try client.graphql("{ f }"))
            #expect(
                found
                    == "Lambda:Unhandled: The function 'f' failed: no connection")
        }
        func deny(_ configuration: inout Configuration) {
            configuration.outbound.deny = [OutboundRules.Entry("127.0.0.0/8")].compactMap(\.self)
        }
        try await FunctionServer.with(Answer(body: "1")) { function, url in
            try await with(url, log: log, deny) { _, client in
                let found = try error(try client.graphql("{ f }"))
                #expect(
                    found
                        == "Lambda:Unhandled: The function 'f' failed: the destination is not allowed")
                #expect(function.calls.isEmpty)
            }
        }
        #expect(lines.withLock { $0.joined() }.contains("127.0.0.1"))
    }

    @Test("while a function is awaited, the same event loop answers other requests and writes are committed")
    func slowFunction() async throws {
        try await FunctionServer.with(nil) { function, url in
            try await with(url, { $0.limits.eventLoopCount = 1 }) { server, client in
                try send("{ f }", on: client)
                try await eventually { function.heldCount == 1 }
                let other = try server.connect()
                #expect(
                    try other.graphql(#"mutation { createItem(input: {id: "a"}) { id } }"#)
                        == #"{"data":{"createItem":{"id":"a"}}}"#)
                #expect(try other.graphql(#"{ getItem(id: "a") { id } }"#) == #"{"data":{"getItem":{"id":"a"}}}"#)
                function.release(Answer(body: #""late""#))
                #expect(try client.receive().body == #"{"data":{"f":"late"}}"#)
            }
        }
    }

    @Test("calls past the bound wait for others to end; where none may wait, the field has the error of the rate")
    func queue() async throws {
        try await FunctionServer.with(nil) { function, url in
            try await with(url, { $0.limits.functions.callsMax = 2 }) { _, client in
                try send("{ a: f b: f c: f d: f e: f }", on: client)
                try await eventually { function.heldCount == 2 }
                #expect(function.calls.count == 2)
                function.release(Answer(body: "\"x\""))
                #expect(try client.receive().body == #"{"data":{"a":"x","b":"x","c":"x","d":"x","e":"x"}}"#)
                #expect(function.calls.count == 5)
            }
        }
        try await FunctionServer.with(nil) { function, url in
            func limit(_ configuration: inout Configuration) {
                configuration.limits.functions.callsMax = 1
                configuration.limits.functions.queueCountMax = 0
            }
            try await with(url, limit) { server, client in
                try send("{ f }", on: client)
                try await eventually { function.heldCount == 1 }
                let other = try server.connect()
                #expect(try error(try other.graphql("{ f }")) == "Lambda:TooManyRequestsException: Rate Exceeded.")
                function.release(Answer(body: "\"x\""))
                #expect(try client.receive().body == #"{"data":{"f":"x"}}"#)
            }
        }
    }

    @Test("a call that waits for others past its time is given up")
    func expiry() async throws {
        try await FunctionServer.with(nil) { function, url in
            func limit(_ configuration: inout Configuration) {
                configuration.limits.functions.callsMax = 1
                configuration.limits.functions.callSeconds = 1
                configuration.limits.api.functionCallsPerRequestMax = 2
            }
            try await with(url, limit) { _, client in
                let errors = try JSONReader.read(try client.graphql("{ a: f b: f }"))["errors"]?.arrayValue ?? []
                let types = Set(errors.map { $0["errorType"]?.stringValue ?? "?" })
                #expect(
                    errors.count == 2 && types.isSubset(of: ["Lambda:Unhandled", "Lambda:TooManyRequestsException"]))
                #expect((1...2).contains(function.calls.count))
            }
        }
    }

    @Test("a reload gives a function another URL")
    func reload() async throws {
        try await FunctionServer.with(Answer(body: "\"one\"")) { _, first in
            try await FunctionServer.with(Answer(body: "\"two\"")) { _, second in
                try await with(first) { server, client in
                    #expect(try client.graphql("{ f }") == #"{"data":{"f":"one"}}"#)
                    var configuration = server.configuration
                    configuration.functions = FunctionList([Function(name: "f", url: second)])
                    _ = try server.service.reload(configuration)
                    try await eventually { try client.graphql("{ f }") == #"{"data":{"f":"two"}}"# }
                }
            }
        }
    }

    @Test("a server that ends does not wait for a function longer than for any answer")
    func end() async throws {
        try await FunctionServer.with(nil) { function, url in
            var client: Client?
            func limit(_ configuration: inout Configuration) {
                configuration.limits.drainSeconds = 0
                configuration.limits.functions.callsMax = 1
            }
            try await with(url, limit) { _, one in
                try send("{ a: f b: f }", on: one)
                try await eventually { function.heldCount == 1 }
                client = one
            }
            #expect(client?.awaitEnd() == true)
        }
    }

    // MARK: - Names

    @Test("a function without a URL refuses the start; in development the field fails with its ARN")
    func missing() async throws {
        let schema = """
            type Query { h: Int @function(name: "h-${env}", region: "eu-west-1") }
            type Item @model { id: ID! }
            """
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(schema, to: "schema.graphql")
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        let refused = #expect(throws: ServerError.self) { try configuration.loadDefinition() }
        #expect(refused?.diagnostics.first?.message.contains("on Query.h: there is no function \"h\".") == true)
        #expect(refused?.diagnostics.first?.place?.line == 1)
        let definition = try configuration.read(for: .dev).loadDefinition()
        #expect(definition.warnings.contains { $0.message.contains("there is no function \"h\"") })
        configuration.environmentName = "prod"
        configuration.functions = FunctionList([Function(name: "h-prod", url: "http://127.0.0.1:1/")])
        #expect(try configuration.loadDefinition().functionNames == ["h-prod"])

        try await with("http://127.0.0.1:1/", schema: schema) { _, client in
            let found = try error(try client.graphql("{ h }"))
            #expect(
                found
                    == "Lambda:ResourceNotFoundException: Function not found: "
                    + "arn:aws:lambda:eu-west-1:123456789012:function:h")
        }
    }

    @Test("a function that nothing calls is a warning, and one that a field calls is none")
    func unused() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        configuration.functions = FunctionList(
            ["f", "g", "c", "t"].map { Function(name: $0, url: "http://127.0.0.1:1/") })
        configuration.resolverConfig.functions.project = Function(name: "c", url: "http://127.0.0.1:1/")
        configuration.userPools.pools = [["lambdaConfig": ["preSignUp": "arn:aws:lambda:us-east-1:1:function:t"]]]
        let warnings = try configuration.loadDefinition().warnings.map(\.message)
        #expect(
            warnings.filter { $0.hasPrefix("functions.") }
                == ["functions.g is called by no field and no trigger, and decides no conflicts: it has no effect."])
    }

    @Test("a schema of functions alone is served")
    func withoutModels() async throws {
        try await FunctionServer.with(Answer(body: "5")) { _, url in
            try await with(url, schema: "type Query { n: Int @function(name: \"f\") }") { _, client in
                let answer = try client.graphql("{ n }")
                #expect(answer == #"{"data":{"n":5}}"#)
            }
        }
    }
}
