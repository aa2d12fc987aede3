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

    @Test("in dev a request of this machine is explained on request, refused or not, and only on request")
    func onRequest() async throws {
        try await TestServer.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .userPools]
        } _: { server in
            #expect(try !post(Self.write, to: server.port).contains("extensions"))
            let refused = try post(Self.write, ["x-syncline-explain": "1"], to: server.port)
            #expect(
                refused.contains(
                    #""extensions":{"syncline":{"authorization":[{"field":"Mutation.createNote","#), "\(refused)")
            #expect(refused.contains("The caller came by API key, and the field is reached by user pool"), "\(refused)")
            let allowed = try post(Self.read, ["x-syncline-explain": "1"], to: server.port)
            #expect(allowed.contains(#""outcome":"allowed""#) && allowed.contains("Note:apiKey:public"), "\(allowed)")
            #expect(try !post(Self.read, ["x-syncline-explain": "0"], to: server.port).contains("extensions"))
            let page = try post(
                Self.read, ["x-syncline-explain": "1", "origin": "http://example.com"], to: server.port)
            #expect(!page.contains("extensions"), "a web page is no operator")
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

    @Test("in dev the log line of a refusal names the rules and why they did not match, and has no values")
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
                    == "Mutation.createNote (mode): The caller came by API key, and the field is reached by user pool",
                "\(rules)")
        }
    }
}
