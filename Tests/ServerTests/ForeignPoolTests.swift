import Foundation
import JSON
import Tables
import Testing
import Transformer

@testable import Server
@testable import UserPools

extension UserPoolTests {
    /// Two servers: one has the user pool, and signs with RS256; the other accepts its tokens, whose keys it finds over HTTP.
    @Suite("User pools of another server")
    struct ForeignPools {
        private static let denied = "You are not authorized to make this call."
        private static let unreadable = "Unable to parse JWT token."

        private static func schema(_ provider: String) -> String {
            """
            type Note @model @auth(rules: [{allow: owner, identityClaim: "sub"\(provider)}]) { id: ID! text: String }
            """
        }

        /// Runs `body` with the server of the pool, the other one, and its clock.
        private static func with(
            _ mode: TransformOptions.AuthMode, clientIDPattern: String?,
            _ body: (AcceptedTokens.Stage, TestServer, ModesStage.ManualClock) async throws -> Void
        ) async throws {
            try await AcceptedTokens.Stage.with { home in
                let pool = try #require(home.service.pools.directory.pool("us-east-1_One"))
                let token = try await home.tokens("probe", in: pool.id, "iosapp").id
                let issuer = try #require(BearerToken(token)?.issuer)
                #expect(issuer == "http://127.0.0.1:\(home.server.port)/us-east-1_One")
                let clock = ModesStage.ManualClock()
                let provider = mode == .oidc ? ", provider: oidc" : ""
                let pattern = try clientIDPattern.map { text in try WholePattern(text) }
                try await TestServer.with(schema: schema(provider), clock: WallClock { clock.milliseconds }) {
                    $0.authModes = [mode]
                    $0.transform.transformerVersion = .v2
                    $0.auth.issuers = [
                        TokenIssuer(
                            kind: mode == .oidc ? .openID : .userPool, issuer: issuer, clientIDPattern: pattern)
                    ]
                } _: { server in
                    try await body(home, server, clock)
                }
            }
        }

        private static func ask(_ client: Client, _ query: String, by token: String) throws -> String {
            let headers = ["authorization": token, "content-type": "application/json"]
            let answer = try client.ask(headers: headers, body: Client.envelope(query))
            guard answer.status != 200 else { return answer.body }
            return "\(answer.status) "
                + (try JSONReader.read(answer.bytes)["errors"]?.arrayValue?.first?["message"]?.stringValue ?? "")
        }

        @Test("its tokens are accepted as those of a pool, and its users are the owners of their items")
        func pool() async throws {
            try await Self.with(.userPools, clientIDPattern: "ios.*") { home, server, clock in
                let client = try server.connect()
                let ana = try await home.tokens("ana", in: "us-east-1_One", "iosapp")
                let ben = try await home.tokens("ben", in: "us-east-1_One", "iosapp")
                func ask(_ query: String, by token: String) throws -> String {
                    try Self.ask(client, query, by: token)
                }
                let create = #"mutation { createNote(input: {id: "1", text: "hers"}) { text } }"#
                #expect(try ask(create, by: ana.access) == #"{"data":{"createNote":{"text":"hers"}}}"#)
                let list = "{ listNotes { items { text } } }"
                for token in [ana.access, ana.id, "Bearer \(ana.id)"] {
                    #expect(try ask(list, by: token) == #"{"data":{"listNotes":{"items":[{"text":"hers"}]}}}"#)
                }
                #expect(try ask(list, by: ben.access) == #"{"data":{"listNotes":{"items":[]}}}"#)
                let update = #"mutation { updateNote(input: {id: "1", text: "his"}) { text } }"#
                #expect(try ask(update, by: ben.id).contains("Not Authorized to access updateNote on type Mutation"))

                // Another client, another pool of the same server, altered tokens, and what is no token of GraphQL.
                let web = try await home.tokens("web", in: "us-east-1_One", "webapp")
                for token in [web.access, web.id] { #expect(try ask(list, by: token) == "401 \(Self.denied)") }
                let other = try await home.tokens("ana", in: "us-east-1_Two", "other")
                #expect(try ask(list, by: other.access) == "401 \(Self.denied)")
                let parts = [ana.access, ben.access].map { $0.split(separator: ".").map(String.init) }
                for altered in [
                    [parts[0][0], parts[1][1], parts[0][2]], [parts[0][0], parts[0][1], parts[1][2]],
                    [parts[0][0], parts[0][1], ""],
                ] {
                    #expect(try ask(list, by: altered.joined(separator: ".")) == "401 \(Self.unreadable)")
                }
                #expect(try ask(list, by: ana.refresh).hasPrefix("401 "))

                // An owner's subscription.
                let socket = try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": ana.access]
                ).acknowledged()
                func start(_ id: String, _ token: String) -> String {
                    AcceptedTokens.start(id, "subscription { onCreateNote { id } }", token)
                }
                #expect(try socket.ask(start("a", ana.access)) == WebSocketClient.acknowledgement("a"))
                #expect(try socket.ask(start("w", web.access)).contains("Permission denied"))
                for (id, token) in [("2", ben.access), ("3", ana.access)] {
                    _ = try ask("mutation { createNote(input: {id: \(id)}) { id owner } }", by: token)
                }
                #expect(
                    try socket.receive() == WebSocketClient.data("a", #"{"data":{"onCreateNote":{"id":"3"}}}"#))

                // Keys are fetched again for a token that is signed with a new one, and tokens end by themselves.
                _ = try await home.perform("RotateKeys", ["UserPoolId": "us-east-1_One"])
                clock.advance(seconds: 31)
                let new = try await home.tokens("new", in: "us-east-1_One", "iosapp")
                #expect(new.access.prefix { $0 != "." } != ana.access.prefix { $0 != "." }, "another key")
                #expect(try ask(list, by: new.access) == #"{"data":{"listNotes":{"items":[]}}}"#)
                clock.advance(seconds: 3_600 + 61)
                // The token ends by the clock of the other server, which has gone on while the test waited for its turn.
                try await eventually {
                    clock.advance(seconds: 31)
                    return try ask(list, by: new.access) == "401 Token has expired."
                }
            }
        }

        @Test("it is a provider of OpenID Connect by its discovery document, for id tokens of the clients that match")
        func openID() async throws {
            try await Self.with(.oidc, clientIDPattern: "iosapp") { home, server, _ in
                let client = try server.connect()
                let ana = try await home.tokens("ana", in: "us-east-1_One", "iosapp")
                let web = try await home.tokens("web", in: "us-east-1_One", "webapp")
                let create = #"mutation { createNote(input: {id: "1", text: "hers"}) { text } }"#
                #expect(try Self.ask(client, create, by: ana.id) == #"{"data":{"createNote":{"text":"hers"}}}"#)
                // An access token of a pool has no audience.
                for token in [ana.access, web.id, web.access] {
                    #expect(try Self.ask(client, create, by: token) == "401 \(Self.denied)")
                }
                #expect(
                    try Self.ask(client, "{ getNote(id: 1) { text } }", by: ana.id)
                        == #"{"data":{"getNote":{"text":"hers"}}}"#)
            }
        }
    }
}
