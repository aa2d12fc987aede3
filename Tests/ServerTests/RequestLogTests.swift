import JSON
import Synchronization
import Testing

@testable import Server

@Suite("The log of requests")
struct RequestLogTests {
    /// Keeps what is logged.
    private final class Sink: Sendable {
        private let lines = Mutex<[String]>([])

        func log(_ level: LogLevel) -> Log {
            Log(format: .json, level: level) { line in self.lines.withLock { $0.append(line) } }
        }

        var all: [JSONValue] { get throws { try lines.withLock { $0 }.map { try JSONReader.read($0) } } }
    }

    @Test("at debug there is one line for each answer, with the identifier that the answer carries")
    func debug() async throws {
        let sink = Sink()
        try await TestServer.with(log: sink.log(.debug)) { server in
            let client = try server.connect()
            var answers: [(message: String, status: Int, id: String?)] = []
            for (method, path, message) in [
                ("POST", "/graphql", "POST /graphql"), ("GET", "/ping", "GET /ping"),
                ("PUT", "/graphql?query=secret", "PUT /graphql"), ("GET", "/secret", "GET to an unknown path"),
            ] {
                let answer = try client.ask(method, path, body: Client.envelope(#"{ secret }"#))
                answers.append((message, answer.status, answer["x-amzn-RequestId"].first))
            }
            try client.send("GET / HTTP/1.1\r\n secret\r\n\r\n")
            let refused = try client.receive()
            answers.append(("The HTTP layer refused a request", refused.status, refused["x-amzn-RequestId"].first))
            try await eventually { try sink.all.filter { $0["requestID"] != nil }.count == answers.count }
            for (line, answer) in zip(try sink.all.filter { $0["requestID"] != nil }, answers) {
                #expect(line["message"]?.stringValue == answer.message)
                #expect(
                    line["requestID"]?.stringValue == answer.id && line["status"]?.stringValue == "\(answer.status)")
                #expect(line["level"] == "debug" && line["peer"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
            }
            #expect(try !sink.all.description.contains("secret"), "what callers send is not logged")
            #expect(try !sink.all.description.contains(TestServer.key))
        }
    }

    @Test("at info only what is the server's own fault is logged, with its cause")
    func info() async throws {
        let sink = Sink()
        let state = ServiceState(mode: .dev, log: sink.log(.info))
        for status in [200, 400, 499, 500, 503] { state.logAnswer(status) { ("\(status)", [:]) } }
        #expect(try sink.all.map { $0["message"]?.stringValue } == ["500", "503"])
        #expect(try sink.all.allSatisfy { $0["level"] == "info" })
    }
}
