import Foundation
import JSON
import Testing
import Transformer

@testable import Server

/// What an operator and the developer's log receive about rules.
@Suite("Refusals are explained to operators and to developers", .serialized)
struct ExplanationTests {
    private static let schema = """
        type Note @model @auth(rules: [{allow: private, provider: userPools}, {allow: public, operations: [read]}]) {
          id: ID! @primaryKey
          text: String
        }
        """
    private static let write = #"{"query":"mutation { createNote(input: {id: \"1\"}) { id } }"}"#
    private static let read = #"{"query":"{ listNotes { items { id } } }"}"#

    private func post(_ body: String, _ fields: [String: String] = [:], to port: Int) throws -> String {
        var fields = fields
        fields["x-api-key"] = TestServer.key
        fields["content-type"] = "application/json"
        return try Client(port: port).ask("POST", "/graphql", headers: fields, body: body).body
    }

    @Test("in dev a request with an operator's token is explained on request, refused or not, and no other is")
    func onRequest() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with(schema: Self.schema) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            $0.authModes = [.apiKey, .userPools]
        } _: { server in
            let token = try Operators.create("ada", role: .viewer, of: server.configuration)
            let explain = ["x-syncline-explain": "1", "x-syncline-operator": token]
            #expect(try !post(Self.write, to: server.port).contains("extensions"))
            #expect(
                try !post(Self.write, ["x-syncline-explain": "1"], to: server.port).contains("extensions"),
                "a program on this machine has no credential by that")
            let refused = try post(Self.write, explain, to: server.port)
            #expect(
                refused.contains(
                    #""extensions":{"syncline":{"authorization":[{"path":"Mutation.createNote","#), "\(refused)")
            #expect(
                refused.contains("The caller authenticated with API_KEY; the field accepts AMAZON_COGNITO_USER_POOLS"),
                "\(refused)")
            let allowed = try post(Self.read, explain, to: server.port)
            #expect(allowed.contains(#""outcome":"allowed""#) && allowed.contains("Note:apiKey:public"), "\(allowed)")
            let other = explain.merging(["x-syncline-explain": "0"]) { $1 }
            #expect(try !post(Self.read, other, to: server.port).contains("extensions"))
            let wrong = try post(
                Self.read, ["x-syncline-explain": "1", "x-syncline-operator": "nobody"], to: server.port)
            #expect(!wrong.contains("extensions"))
        }
    }

    @Test("serve explains to an operator with a token, in a header of its own or as bearer, and to nobody else")
    func token() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write(#"{"userPool": {}}"#, to: "config/syncline.json")
        let server = try Running(["serve", "--port", "0"], in: folder)
        defer { server.stop() }
        let made = try run(["operators", "create", "ada", "--role", "viewer", "--token"], in: folder)
        let token = try #require(made.output.split(whereSeparator: \.isWhitespace).map(String.init).last)
        let explain = ["x-syncline-explain": "1"]
        #expect(try !post(Self.write, explain, to: server.port).contains("extensions"))
        for credential in [["x-syncline-operator": token], ["authorization": "Bearer \(token)"]] {
            let answer = try post(Self.write, explain.merging(credential) { $1 }, to: server.port)
            #expect(answer.contains(#""extensions":{"syncline":"#), "\(made) \(answer)")
            #expect(try !post(Self.write, credential, to: server.port).contains("extensions"))
        }
    }

    private static let listening = """
        type Note @model @auth(rules: [{allow: owner}]) { id: ID! text: String }
        """

    private func start(_ id: String, _ query: String, _ headers: [String: String]) -> String {
        let authorization = JSONValue.object(JSONObject(headers.map { ($0.key, .string($0.value)) }))
        let data = JSONValue.string(JSONValue.object(["query": .string(query)]).description)
        return
            #"{"id":"\#(id)","type":"start","payload":{"data":\#(data),"extensions":{"authorization":\#(authorization)}}}"#
    }

    @Test("a refused start, and a refused subscribe, are explained on request and in the log of dev")
    func subscriptions() async throws {
        let sink = RequestLogTests.Sink()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with(schema: Self.listening, log: sink.log(.info)) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            $0.transform.transformerVersion = .v2
            $0.authModes = [.apiKey, .userPools]
        } _: { server in
            let token = try Operators.create("ada", role: .viewer, of: server.configuration)
            let query = "subscription { onCreateNote { id } }"
            let entry = #""extensions":{"syncline":{"authorization":[{"path":"Subscription.onCreateNote","#
            let socket = try WebSocketClient(port: server.port).acknowledged()
            let plain = try socket.ask(start("1", query, ["x-api-key": TestServer.key]))
            #expect(plain.contains(#""errorType":"Unauthorized""#) && !plain.contains("extensions"), "\(plain)")
            let explained = try socket.ask(
                start(
                    "1", query,
                    ["x-api-key": TestServer.key, "x-syncline-explain": "1", "x-syncline-operator": token]))
            #expect(explained.contains(entry), "\(explained)")
            let bearing = try socket.ask(
                start(
                    "1", query,
                    ["x-api-key": TestServer.key, "x-syncline-explain": "1", "authorization": "BEARER  \(token)"]))
            #expect(bearing.contains(entry), "as over HTTP: \(bearing)")
            let foreign = try socket.ask(
                start(
                    "1", query,
                    [
                        "x-api-key": TestServer.key, "x-syncline-explain": "1", "x-syncline-operator": "nobody",
                    ]))
            #expect(!foreign.contains("extensions"))
            let transport = try WebSocketClient(
                port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-transport-ws"])
            try transport.send(
                #"{"type":"connection_init","payload":{"x-api-key":"\#(TestServer.key)","x-syncline-explain":"1","#
                    + #""x-syncline-operator":"\#(token)"}}"#)
            #expect(try transport.receive() == #"{"type":"connection_ack"}"#)
            let subscribe = try transport.ask(
                #"{"id":"1","type":"subscribe","payload":{"query":"\#(query)"}}"#)
            #expect(subscribe.contains(entry) && subscribe.contains(#""type":"error""#), "\(subscribe)")
            let listed = try transport.ask(
                #"{"id":"2","type":"subscribe","payload":{"query":"{ listNotes { items { id } } }"}}"#)
            #expect(listed.contains(#""path":"Query.listNotes""#), "\(listed)")
            try await eventually { try sink.lines("A subscription was refused").count == 5 }
            let wrong = try socket.ask(start("2", query, ["x-api-key": "da2-wrong"]))
            #expect(wrong.contains("Permission denied"))
            try await eventually {
                try sink.lines("The credentials of an operation over a WebSocket were refused").count == 1
            }
            let rules = try sink.lines("A subscription was refused").compactMap { $0["rules"]?.stringValue }
            #expect(rules.count == 5 && rules[0].hasPrefix("Subscription.onCreateNote (mode): "), "\(rules)")
        }
    }

    @Test("a subscription without the owner's argument says which argument its rule compares")
    func ownerArgument() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await UserPoolTests.AcceptedTokens.Stage.with(schema: Self.listening) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            $0.transform.transformerVersion = .v1
            $0.authModes = [.userPools, .apiKey]
        } _: { stage in
            let token = try Operators.create("ada", role: .viewer, of: stage.server.configuration)
            let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
            let socket = try WebSocketClient(port: stage.server.port).acknowledged()
            let answer = try socket.ask(
                start(
                    "1", #"subscription { onCreateNote(owner: "bob") { id } }"#,
                    ["Authorization": jane.access, "x-syncline-explain": "1", "x-syncline-operator": token]))
            #expect(answer.contains(#""errorType":"Unauthorized""#), "\(answer)")
            #expect(answer.contains("the subscription's argument owner is not the caller's username"), "\(answer)")
        }
    }

    @Test("a condition of version 1 that fails for the owner's sake is explained, and one of the caller's own is not")
    func condition() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await UserPoolTests.AcceptedTokens.Stage.with(schema: Self.listening) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            $0.transform.transformerVersion = .v1
            $0.authModes = [.userPools]
        } _: { stage in
            let operatorToken = try Operators.create("ada", role: .viewer, of: stage.server.configuration)
            let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
            let bob = try await stage.tokens("bob", in: "us-east-1_One", "iosapp")
            _ = try stage.post(#"mutation { createNote(input: {id: "1"}) { id } }"#, by: jane.access)
            func delete(_ token: String, _ condition: String = "") throws -> String {
                try stage.client.ask(
                    headers: [
                        "authorization": token, "content-type": "application/json", "x-syncline-explain": "1",
                        "x-syncline-operator": operatorToken,
                    ], body: Client.envelope(#"mutation { deleteNote(input: {id: "1"}\#(condition)) { id } }"#)
                ).body
            }
            let own = try delete(jane.access, #", condition: {text: {eq: "x"}}"#)
            #expect(own.contains("ConditionalCheckFailedException"), "\(own)")
            #expect(own.contains(#""outcome":"conditional""#), "\(own)")
            let foreign = try delete(bob.access)
            #expect(foreign.contains("ConditionalCheckFailedException"), "\(foreign)")
            #expect(foreign.contains(#""outcome":"denied""#), "\(foreign)")
            #expect(foreign.contains("the item's field owner does not have the caller's username"), "\(foreign)")
        }
    }

    @Test(
        "in dev the log line of a refusal names the mode that does not reach the field, or the rules and why they did not match"
    )
    func log() async throws {
        let sink = RequestLogTests.Sink()
        try await TestServer.with(schema: Self.schema, log: sink.log(.info)) {
            $0.authModes = [.apiKey, .userPools]
        } _: {
            server in
            _ = try post(Self.write, to: server.port)
            try await eventually { try sink.answers.count == 1 }
            let rules = try sink.answers.first?["rules"]?.stringValue ?? ""
            #expect(
                rules
                    == "Mutation.createNote (mode): The caller authenticated with API_KEY; the field accepts "
                    + "AMAZON_COGNITO_USER_POOLS", "\(rules)")
        }
        let ruled =
            Self.schema + "\ntype Query { ping: String @aws_api_key @auth(rules: [{allow: groups, groups: [\"G\"]}]) }"
        let other = RequestLogTests.Sink()
        try await TestServer.with(schema: ruled, log: other.log(.info)) {
            $0.authModes = [.apiKey, .userPools]
        } _: { server in
            _ = try post(#"{"query":"{ ping }"}"#, to: server.port)
            try await eventually { try other.answers.count == 1 }
            let rules = try other.answers.first?["rules"]?.stringValue ?? ""
            #expect(
                rules
                    == "Query.ping (call Query.ping): Query.ping:userPools:staticGroup:G:cognito:groups: the caller "
                    + "authenticated with API_KEY; the rule is for AMAZON_COGNITO_USER_POOLS", "\(rules)")
        }
    }
}

extension RequestLogTests.Sink {
    /// The lines that begin with a message.
    fileprivate func lines(_ message: String) throws -> [JSONValue] {
        try all.filter { $0["message"]?.stringValue?.hasPrefix(message) == true }
    }
}
