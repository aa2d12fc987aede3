import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

/// LAMBDA: scenarios 16 to 19 (reference: datastore-sync, "Scenarios") with a function over HTTP, and all that can go
/// wrong on the way.
@Suite("Functions that decide conflicts")
struct ConflictFunctionTests {
    private static let schema = """
        type Booking @model { id: ID! title: String notes: String }
        type Room @model { id: ID! title: String }
        """
    private typealias Answer = FunctionServer.Answer

    /// A server with LAMBDA for all models, and an item `b1` of version 2 that has the title X.
    private func with(
        _ url: String, log: Log = Log(format: .text, level: .critical),
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestServer, Client) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: Self.schema, log: log,
            { configuration in
                configuration.transform.conflictDetection = .version
                configuration.transform.conflictHandler = .lambda
                configuration.resolverConfig.functions.project = Function(name: "decide", url: url)
                // However slow this machine is, what a test holds is held until it lets it go.
                configuration.limits.functions.callSeconds = 3600
                change(&configuration)
            }
        ) { server in
            let client = try server.connect()
            for model in ["Booking", "Room"] {
                _ = try client.graphql(#"mutation { create\#(model)(input: {id: "b1", title: "W"}) { id } }"#)
                let answer = try client.graphql(Self.update("X", 1, model))
                #expect(answer == Self.updated("X", 2, model))
            }
            try await body(server, client)
        }
    }

    private static func update(_ title: String, _ version: Int, _ model: String = "Booking") -> String {
        #"mutation { update\#(model)(input: {id: "b1", title: "\#(title)", _version: \#(version)}) { title _version } }"#
    }

    private static func updated(_ title: String, _ version: Int, _ model: String = "Booking") -> String {
        #"{"data":{"update\#(model)":{"title":"\#(title)","_version":\#(version)}}}"#
    }

    private static let delete = #"mutation { deleteBooking(input: {id: "b1", _version: 1}) { id _version _deleted } }"#
    private static let stored = #"{ getBooking(id: "b1") { title _version _deleted } }"#

    /// The type and the data of the one error of an answer.
    private func error(_ answer: String) throws -> String {
        let errors = try JSONReader.read(answer)["errors"]?.arrayValue ?? []
        #expect(errors.count == 1, "\(answer)")
        return "\(errors.first?["errorType"]?.stringValue ?? "?") \(errors.first?["data"]?.description ?? "?")"
    }

    @Test("the function receives AppSync's event, and resolves, rejects or removes")
    func decisions() async throws {
        let resolve = Answer(body: #"{"action":"RESOLVE","item":{"title":"merged","_version":99,"id":"zz"}}"#)
        try await FunctionServer.with(resolve) { function, url in
            try await with(url) { _, client in
                #expect(try client.graphql(Self.update("Y", 1)) == Self.updated("merged", 3))
                let call = try #require(function.calls.first)
                #expect(call.head == "POST /decide?key=secret application/json")
                #expect(call.event["newItem"]?["title"] == "Y" && call.event["existingItem"]?["title"] == "X")
                #expect(call.event["existingItem"]?["_version"] == 2)
                #expect(call.event["arguments"]?.description == #"{"input":{"id":"b1","title":"Y","_version":1}}"#)
                #expect(
                    call.event["resolver"]?.description
                        == #"{"tableName":"Booking","awsRegion":"us-east-1","parentType":"Mutation","field":"updateBooking"}"#
                )
                #expect(call.event["identity"] == .null)

                function.release(Answer(body: #"{"action":"REJECT"}"#))
                #expect(
                    try error(try client.graphql(Self.update("Z", 1)))
                        == #"ConflictUnhandled {"title":"merged","_version":3}"#)
                function.release(Answer(body: #"{"action":"REMOVE"}"#))
                #expect(
                    try client.graphql(Self.delete)
                        == #"{"data":{"deleteBooking":{"id":"b1","_version":4,"_deleted":true}}}"#)
                #expect(function.calls.count == 3, "one call for each conflict")
            }
        }
    }

    @Test("a model may have a function of its own, and a reload gives it another")
    func models() async throws {
        func decided(_ title: String) -> Answer {
            Answer(body: #"{"action":"RESOLVE","item":{"title":"\#(title)"}}"#)
        }
        try await FunctionServer.with(decided("project")) { _, project in
            try await FunctionServer.with(decided("model")) { _, model in
                func give(_ configuration: inout Configuration, _ url: String) {
                    configuration.resolverConfig.functions.models["Room"] = Function(name: "own", url: url)
                }
                try await with(project, { give(&$0, model) }) { server, client in
                    #expect(try client.graphql(Self.update("Y", 1)) == Self.updated("project", 3))
                    #expect(try client.graphql(Self.update("Y", 1, "Room")) == Self.updated("model", 3, "Room"))
                    var configuration = server.configuration
                    give(&configuration, project)
                    _ = try server.service.reload(configuration)
                    try await eventually { try client.graphql(Self.update("Y", 1, "Room")).contains("project") }
                }
            }
        }
    }

    @Test("a function without a URL decides nothing, and the project's does not decide in its place: ConflictError")
    func missing() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
        func forget(_ configuration: inout Configuration) {
            let missing = Diagnostic(kind: "Warning", message: "The function has no URL.")
            configuration.resolverConfig.functions.missingModels["Booking"] = missing
        }
        let resolve = Answer(body: #"{"action":"RESOLVE","item":{"title":"project"}}"#)
        try await FunctionServer.with(resolve) { function, url in
            try await with(url, log: log, forget) { _, client in
                let answer = try client.graphql(Self.update("Y", 1))
                #expect(try error(answer) == "ConflictError null")
                let stored = try client.graphql(Self.stored)
                #expect(stored == #"{"data":{"getBooking":{"title":"X","_version":2,"_deleted":null}}}"#)
                #expect(function.calls.isEmpty)
                // Without a conflict nothing is asked, and other models have their function.
                #expect(try client.graphql(Self.update("Y", 2)) == Self.updated("Y", 3))
                #expect(try client.graphql(Self.update("Y", 1, "Room")) == Self.updated("project", 3, "Room"))
            }
        }
        let text = lines.withLock { $0.joined() }
        #expect(text.contains("model=Booking  reason=") && text.contains("no URL"), "\(text)")
    }

    /// What the function does, and what the log says of it.
    private static let failures: [(answer: Answer?, reason: String?)] = [
        (nil, "it did not answer in time"),
        (Answer(status: 500, body: #"{"action":"REJECT"}"#), "status 500"),
        (Answer(status: 201, body: #"{"action":"REJECT"}"#), "status 201"),
        (Answer(status: 307, fields: [("Location", "/")], body: ""), "status 307"),
        (Answer(body: #"{"action":"REJECT","x":"\#(String(repeating: "x", count: 128))"}"#), "more than 128 bytes"),
        (Answer(body: ""), nil), (Answer(body: "REJECT"), nil), (Answer(body: "{}"), nil),
        (Answer(body: #"{"action":"REMOVE"}"#), nil), (Answer(body: #"{"action":"RESOLVE"}"#), nil),
        (Answer(body: #"{"action":"RESOLVE","item":{"title":5}}"#), nil),
    ]

    @Test("a function that fails, or answers what it may not, stores nothing: ConflictError")
    func wrongAnswers() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
        func check(_ function: FunctionServer, _ client: Client, _ reason: String?) throws {
            lines.withLock { $0 = [] }
            let callCount = function.calls.count
            #expect(try error(client.graphql(Self.update("Y", 1))) == "ConflictError null")
            #expect(function.calls.count == callCount + 1)
            #expect(
                try client.graphql(Self.stored)
                    == #"{"data":{"getBooking":{"title":"X","_version":2,"_deleted":null}}}"#)
            let text = lines.withLock { $0.joined() }
            if let reason {
                #expect(text.contains("function=decide  model=Booking  reason=") && text.contains(reason), "\(text)")
            }
            #expect(!text.contains("secret") && !text.contains("Y"), "\(text)")
        }
        // One server for all answers: nothing is stored.
        try await FunctionServer.with(nil) { function, url in
            try await with(url, log: log, { $0.limits.functions.answerBytesMax = 128 }) { _, client in
                for (answer, reason) in Self.failures {
                    guard let answer else { continue }
                    function.release(answer)
                    try check(function, client, reason)
                }
            }
        }
        for (answer, reason) in Self.failures where answer == nil {
            try await FunctionServer.with(nil) { function, url in
                try await with(url, log: log, { $0.limits.functions.callSeconds = 1 }) { _, client in
                    try check(function, client, reason)
                }
            }
        }
    }

    @Test("a function that cannot be reached, or may not decide about a delete, stores nothing")
    func unreachable() async throws {
        var gone = ""
        try await FunctionServer.with(Answer(body: #"{"action":"RESOLVE","item":{"title":"merged"}}"#)) { _, url in
            gone = url
            try await with(url) { _, client in
                let answer = try client.graphql(Self.delete)
                #expect(try error(answer) == "ConflictError null")
            }
        }
        // Nobody listens there any more.
        try await with(gone) { _, client in
            let answer = try client.graphql(Self.update("Y", 1))
            #expect(try error(answer) == "ConflictError null")
            #expect(try client.graphql(Self.update("Z", 2)) == Self.updated("Z", 3), "no conflict, no function")
        }
    }

    @Test("the writer does not wait for a function, which decides again about an item that changed meanwhile")
    func noWaiting() async throws {
        try await FunctionServer.with(nil) { function, url in
            try await with(url) { server, client in
                try client.send(
                    Client.request(
                        "POST", "/graphql", headers: Client.usualHeaders,
                        body: Client.envelope(Self.update("Y", 1))))
                try await eventually { function.heldCount == 1 }
                let rival = try server.connect()
                #expect(try rival.graphql(Self.update("rival", 2)) == Self.updated("rival", 3))
                #expect(try rival.graphql(Self.update("other", 2, "Room")) == Self.updated("other", 3, "Room"))
                function.release(Answer(body: #"{"action":"RESOLVE","item":{"title":"merged"}}"#))
                #expect(try client.receive().body == Self.updated("merged", 4))
                #expect(function.calls.map { $0.event["existingItem"]?["_version"] } == [2, 3])
            }
        }
    }

    @Test("one call too many is not made: 503, and the client tries again")
    func bound() async throws {
        try await FunctionServer.with(nil) { function, url in
            try await with(url, { $0.limits.functions.callsMax = 1 }) { server, client in
                let body = Client.envelope(Self.update("Y", 1))
                try client.send(Client.request("POST", "/graphql", headers: Client.usualHeaders, body: body))
                try await eventually { function.heldCount == 1 }
                let other = try server.connect()
                let refused = try other.ask(body: Client.envelope(Self.update("Z", 1, "Room")))
                #expect(refused.status == 503 && refused["x-amzn-ErrorType"] == ["ServiceUnavailableException"])
                function.release(Answer(body: #"{"action":"RESOLVE","item":{"title":"merged"}}"#))
                #expect(try client.receive().body == Self.updated("merged", 3))
                #expect(try other.graphql(Self.update("Z", 1, "Room")) == Self.updated("merged", 3, "Room"))
                #expect(function.calls.count == 2)
            }
        }
    }

    @Test("a server that ends does not wait for a function longer than for any answer")
    func end() async throws {
        try await FunctionServer.with(nil) { function, url in
            var client: Client?
            try await with(url, { $0.limits.drainSeconds = 0 }) { _, one in
                let body = Client.envelope(Self.update("Y", 1))
                try one.send(Client.request("POST", "/graphql", headers: Client.usualHeaders, body: body))
                try await eventually { function.heldCount == 1 }
                client = one
            }
            // The server has stopped: the call was given up, and the connection closed.
            #expect(client?.awaitEnd() == true)
        }
    }
}
