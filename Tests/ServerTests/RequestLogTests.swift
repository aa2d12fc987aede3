import API
import JSON
import Synchronization
import Tables
import Testing

@testable import Server

@Suite("The log of requests")
struct RequestLogTests {
    /// Keeps what is logged.
    final class Sink: Sendable {
        private let lines = Mutex<[String]>([])

        func log(_ level: LogLevel) -> Log {
            Log(format: .json, level: level) { line in self.lines.withLock { $0.append(line) } }
        }

        var all: [JSONValue] { get throws { try lines.withLock { $0 }.map { try JSONReader.read($0) } } }

        /// The lines about answers.
        var answers: [JSONValue] { get throws { try all.filter { $0["status"] != nil && $0["requestID"] != nil } } }
    }

    @Test("at debug there is one line for each answer, with the identifier that the answer carries")
    func debug() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.debug)) { server in
            let client = try server.connect()
            var answers: [(message: String, status: Int, id: String?)] = []
            let secret = #"{ getUser(id: "secret") { id } }"#
            for (method, path, message) in [
                ("POST", "/graphql", "POST /graphql"), ("GET", "/ping", "GET /ping"),
                ("PUT", "/graphql?query=secret", "PUT /graphql"), ("GET", "/secret", "GET to an unknown path"),
            ] {
                let answer = try client.ask(method, path, body: Client.envelope(secret))
                answers.append((message, answer.status, answer["x-amzn-RequestId"].first))
            }
            try client.send("GET / HTTP/1.1\r\n secret\r\n\r\n")
            let refused = try client.receive()
            answers.append(("The HTTP layer refused a request", refused.status, refused["x-amzn-RequestId"].first))
            try await eventually { try sink.answers.count == answers.count }
            for (line, answer) in zip(try sink.answers, answers) {
                #expect(line["message"]?.stringValue == answer.message)
                #expect(
                    line["requestID"]?.stringValue == answer.id && line["status"]?.intValue == Int64(answer.status))
                #expect(line["level"]?.stringValue == (answer.status >= 400 ? "info" : "debug"))
                #expect(line["peer"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
            }
            let cause = try sink.answers.last?["cause"]?.stringValue
            #expect(cause.map { refused.body.contains($0) } == true, "the line has the sentence of the answer")
            #expect(try !sink.all.description.contains("secret"), "what callers send is not logged")
            #expect(try !sink.all.description.contains(TestServer.key))
        }
    }

    @Test("at info each failed operation has one line with its name, cause and hint, and what succeeds has none")
    func failures() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.info)) { server in
            let client = try server.connect()
            let create = #"createUser(input: {id: "a", username: "A"})"#
            for (query, operation, cause) in [
                ("query Fine { listUsers { items { id } } }", nil, nil),
                (
                    "query Sync { syncUsers { items { id } } }", "Sync",
                    "Validation error of type FieldUndefined: Field 'syncUsers' in type 'Query' is undefined @ 'syncUsers'"
                ),
                (
                    "mutation Old { deleteUser(input: {id: \"a\"}) { id _version } }", "Old",
                    "Validation error of type FieldUndefined: Field '_version' in type 'User' is undefined @ 'deleteUser/_version'"
                ),
                ("mutation First { \(create) { id } }", nil, nil),
                ("mutation Again { \(create) { id } }", "Again", "createUser: The conditional request failed"),
                ("query Broken { listUsers(", "Broken", "Invalid Syntax"),
            ] as [(String, String?, String?)] {
                let count = try sink.answers.count
                #expect(try client.ask(body: Client.envelope(query)).status == 200)
                guard let cause else { continue }
                try await eventually { try sink.answers.count == count + 1 }
                let line = try #require(try sink.answers.last)
                #expect(line["operation"]?.stringValue == operation, "\(line)")
                #expect(line["cause"]?.stringValue?.hasPrefix(cause) == true, "\(line)")
                #expect(line["level"] == "info" && line["message"] == "POST /graphql" && line["status"] == 200)
                let isAboutSync = operation == "Sync" || operation == "Old"
                #expect((line["hint"]?.stringValue?.contains("start with --datastore") ?? false) == isAboutSync)
            }
            // An answer is logged before the next request is read.
            _ = try client.ask("GET", "/ping")
            #expect(try sink.answers.count == 4)
        }
    }

    @Test("the log repeats no value that a message quotes")
    func values() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.info)) { server in
            let client = try server.connect()
            let secret = #"secret' is not a valid 'secret"#
            let requests = [
                (#"{ listUsers(limit: "\#(secret)") { items { id } } }"#, "null"),
                (#"{ listUsers(limit: -47114711) { items { id } } }"#, "null"),
                (#"query Q($n: Int = "secret") { listUsers(limit: $n) { items { id } } }"#, "null"),
                (#"query Q($n: Int) { listUsers(limit: $n) { items { id } } }"#, #"{"n":"secret"}"#),
                (
                    #"query Q($d: ModelSortDirection) { messagesByRoom(sortDirection: $d) { items { id } } }"#,
                    #"{"d":"secret"}"#
                ),
                (
                    #"mutation M($i: CreateMessageInput!) { createMessage(input: $i) { id } }"#,
                    #"{"i":{"room":"r","body":"b","createdAt":"secret"}}"#
                ),
                (
                    #"mutation M { createMessage(input: {room: "secret", body: 1, createdAt: "secret"}) { id } }"#,
                    "null"
                ),
                (#"mutation M { createUser(input: {secretly: "secret"}) { id } }"#, "null"),
            ]
            for (query, variables) in requests {
                let answer = try client.graphql(query, variables)
                #expect(answer.contains("errors"), "\(query): \(answer)")
            }
            let named =
                Client.envelope("query A { listUsers { items { id } } }").dropLast()
                + #","operationName":"secret\n"}"#
            #expect(try client.ask(body: String(named)).status == 400)
            try await eventually { try sink.answers.count == requests.count + 1 }
            let causes = try sink.answers.map { $0["cause"]?.stringValue ?? "" }
            for cause in causes {
                #expect(!cause.isEmpty && !cause.contains("secret'") && !cause.contains("4711"), "\(cause)")
                #expect(!cause.replacing("'secretly'", with: "").contains("secret"), "\(cause)")
            }
            #expect(causes[0].hasSuffix("' is not a valid 'Int' @ 'listUsers'"), "names stay: \(causes[0])")
        }
    }

    @Test("a batch is answered as by AppSync, and the log says why")
    func batch() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.info)) { server in
            let answer = try server.connect().ask(body: " [" + Client.envelope("{ __typename }") + "]")
            #expect(answer.status == 400)
            #expect(
                answer.body
                    == #"{"errors":[{"errorType":"MalformedHttpRequestException","message":"Unable to parse GraphQL query."}]}"#
            )
            try await eventually { try sink.answers.count == 1 }
            let line = try #require(try sink.answers.first)
            #expect(line["cause"]?.stringValue?.hasPrefix("The body is a JSON array.") == true)
            #expect(line["hint"]?.stringValue?.contains("BatchHttpLink") == true)
        }
    }

    @Test(
        "serve bounds the lines about failures a second, and says how many it left out; dev logs each",
        arguments: [Service.Mode.serve, .dev])
    func sampling(mode: Service.Mode) async throws {
        let sink = Sink()
        try await TestServer.with(mode: mode, log: sink.log(.info)) {
            $0.limits.failureLinesPerSecondMax = 3
        } _: { server in
            let client = try server.connect()
            let count = 200
            for _ in 0..<count { _ = try client.graphql("{ nope }") }
            func leftOut() throws -> Int64 { try sink.all.reduce(0) { $0 + ($1["leftOut"]?.intValue ?? 0) } }
            try await eventually { try sink.answers.count + Int(leftOut()) == count }
            #expect(try (leftOut() > 0) == (mode == .serve))
        }
    }

    @Test("a request that takes long has a line at warning with its operation, cost and index, and no values")
    func slow() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.warning)) { configuration in
            configuration.log.slowRequestSeconds = 0.000_001
            configuration.limits.api.readStepsMax = 300
            configuration.limits.store.stepsPerLook = 10
        } _: { server in
            let client = try server.connect()
            for number in 0..<200 {
                _ = try client.graphql(
                    """
                    mutation { createMessage(input: \
                    {room: "secret", body: "\(number)", createdAt: "2026-01-02T03:04:05.\(100 + number)Z"}) { id } }
                    """)
            }
            let loop = #"query Loop { messagesByRoom(room: "secret", limit: 3) { items { body } } }"#
            let long = "query Long { listMessages(limit: 1000) { items { body } } }"
            for (query, name, rows, access, field) in [
                (loop, "Loop", 3, "Message by byRoom", "messagesByRoom"),
                (long, "Long", 200, "Message by scan", "listMessages"),
            ] {
                _ = try client.graphql(query)
                func line() throws -> JSONValue? { try sink.all.last { $0["operation"]?.stringValue == name } }
                try await eventually { try line() != nil }
                let line = try #require(try line())
                #expect(line["message"] == "A request was slow: POST /graphql" && line["level"] == "warning")
                #expect(line["access"]?.stringValue == access, "\(line)")
                // What the loop has read before the request moved to a worker counts, too.
                let counted = line["rows"]?.intValue ?? 0
                #expect(name == "Loop" ? counted == Int64(rows) : counted > Int64(rows), "\(line)")
                #expect(line["rootFields"]?.stringValue == field && line["type"] == "query")
                #expect(line["microseconds"]?.intValue != nil && line["steps"]?.intValue != nil)
                #expect(name == "Loop" || line["steps"]?.intValue ?? 0 >= 300, "\(line)")
            }
            let repeated =
                "query Repeated { a: getUser(id: 1) { id } b: listUsers { nextToken } c: getUser(id: 2) { id } }"
            _ = try client.graphql(repeated)
            try await eventually {
                try sink.all.contains { $0["operation"] == "Repeated" && $0["rootFields"] == "getUser,listUsers" }
            }
            #expect(try !sink.all.description.contains("secret"))
        }
    }

    @Test("a slow request that fails has one line, at warning, with its cause and no other request's index")
    func slowFailure() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.info)) {
            $0.log.slowRequestSeconds = 0.000_001
        } _: { server in
            let client = try server.connect()
            _ = try client.graphql(#"query Loop { messagesByRoom(room: "r") { items { body } } }"#)
            _ = try client.graphql("query Broken { listUsers(")
            _ = try client.graphql(#"query Denied { getUser(id: "a") { nope } }"#)
            try await eventually { try sink.answers.count == 3 }
            let lines = try sink.answers
            #expect(lines.allSatisfy { $0["level"] == "warning" })
            #expect(lines.map { $0["access"]?.stringValue } == ["Message by byRoom", nil, nil])
            #expect(lines.map { $0["operation"]?.stringValue } == ["Loop", "Broken", "Denied"])
            let causes = lines.map { $0["cause"]?.stringValue }
            #expect(causes[0] == nil && causes[1]?.hasPrefix("Invalid Syntax") == true)
            #expect(causes[2]?.contains("FieldUndefined") == true)
        }
    }

    @Test("serve bounds the lines about slow requests as well, and makes none that it leaves out")
    func slowSampling() async throws {
        let sink = Sink()
        let answers = AnswerLog(
            sink.log(.info), mode: .serve, slowRequestSeconds: 1, failureLinesPerSecondMax: 2)
        var madeCount = 0
        func note(_ status: Int, seconds: Int64) {
            answers.logAnswer(
                .init(status: status, isFailure: status >= 400, nanoseconds: seconds * 1_000_000_000), on: nil
            ) {
                madeCount += 1
                return LoggedAnswer(message: "POST /graphql")
            }
        }
        for _ in 0..<20 { note(200, seconds: 2) }
        // A second may have ended in between.
        #expect((2...4).contains(madeCount))
        for _ in 0..<20 { note(400, seconds: 0) }
        #expect((4...8).contains(madeCount))
        for _ in 0..<20 { note(200, seconds: 0) }
        #expect(try sink.all.count == madeCount)
    }

    @Test("the line of an operation over a WebSocket has the peer and the identifier of the upgrade")
    func webSocket() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.info)) { server in
            let socket = try WebSocketClient(port: server.port).acknowledged()
            _ = try socket.start("1", "subscription Wrong { onNothing { id } }")
            func line() throws -> JSONValue? { try sink.all.last { $0["status"] != nil } }
            try await eventually { try line() != nil }
            let line = try #require(try line())
            #expect(line["message"] == "A subscription was refused" && line["operation"] == "Wrong")
            #expect(line["requestID"]?.stringValue == socket.answer["x-amzn-RequestId"].first)
            #expect(line["peer"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
        }
    }

    @Test("without a bound no request is slow, and an ordinary one is not")
    func notSlow() async throws {
        for seconds in [0, 60.0] {
            let sink = Sink()
            try await TestServer.with(log: sink.log(.warning)) {
                $0.log.slowRequestSeconds = seconds
            } _: { server in
                _ = try server.connect().graphql("{ listUsers { items { id } } }")
            }
            #expect(try sink.all.isEmpty)
        }
    }
}
