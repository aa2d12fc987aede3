import API
import Crypto
import Encodings
import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server
@testable import UserPools

@Suite("Tokens of other issuers")
struct IssuerModeTests {
    private static let denied = "You are not authorized to make this call."
    private static let unreadable = "Unable to parse JWT token."
    private static let expired = "Token has expired."
    private static let query = "{ listUsers { items { id } } }"

    private static func answer(_ client: Client, _ token: String?) throws -> String {
        var headers = ["content-type": "application/json"]
        headers["authorization"] = token
        let answer = try client.ask("POST", "/graphql", headers: headers, body: Client.envelope(query))
        if answer.status == 200 { return "200" }
        #expect(answer.status == 401 && answer.body.contains(#""errorType":"UnauthorizedException""#))
        return (try JSONReader.read(Array(answer.body.utf8)))["errors"]?.arrayValue?[0]["message"]?.stringValue ?? ""
    }

    private static func claims(_ issuer: IssuerServer, _ more: JSONObject = [:], without: Set<String> = [])
        -> JSONObject
    {
        let now = WallClock.system.milliseconds() / 1_000
        func number(_ offset: Int64) -> JSONValue { .number(String(now + offset)) }
        var claims: JSONObject = [
            "iss": .string(issuer.url), "sub": "u1", "aud": "app-1", "exp": number(600), "iat": number(-10),
            "auth_time": number(-20),
        ]
        for (name, value) in more { claims[name] = value }
        return JSONObject(claims.filter { !without.contains($0.key) }.map { ($0.key, $0.value) })
    }

    private static func seconds(_ offset: Int64) -> JSONValue {
        .number(String(WallClock.system.milliseconds() / 1_000 + offset))
    }

    @Test("The issuer of a token is found without building the rest of it")
    func claimedIssuer() {
        func issuer(_ claims: String) -> BearerToken.ClaimedIssuer {
            let token = "e30." + Base64.encodeURL(Array(claims.utf8)) + ".AAAA"
            return unsafe Array(token.utf8).withUnsafeBytes { unsafe BearerToken.claimedIssuer(of: $0) }
        }
        #expect(issuer(#"{"sub":{"iss":"a"},"iss":"b"}"#) == .named("b"))
        #expect(issuer(#"{"iss":1}"#) == .none)
        for text in ["[]", "", #"{"iss":"a""#, #"{"iss":"a"}x"#] { #expect(issuer(text) == .malformed) }
        for text in ["", "a.b", "a.e30.b.c"] {
            let claimed = unsafe Array(text.utf8).withUnsafeBytes { unsafe BearerToken.claimedIssuer(of: $0) }
            #expect(claimed == .malformed)
        }
    }

    /// Case 174 (reference: authorization, "Acceptance cases").
    @Test("A token of the issuer is accepted, and each that is altered, expired, foreign or unsigned is refused")
    func checks() async throws {
        try await IssuerServer.with { issuer in
            try await TestServer.with { configuration in
                configuration.authModes = [.oidc]
                configuration.auth.issuers = [
                    TokenIssuer(
                        kind: .openID, issuer: issuer.url + "/", clientIDPattern: "app-.",
                        issuedMillisecondsMax: 100_000, authenticatedMillisecondsMax: 200_000)
                ]
            } _: { server in
                let client = try server.connect()
                let good = issuer.token(Self.claims(issuer))
                func claims(_ more: JSONObject, without: Set<String> = []) -> String {
                    issuer.token(Self.claims(issuer, more, without: without))
                }
                let parts = good.split(separator: ".").map(String.init)
                let other = issuer.token(Self.claims(issuer, ["sub": "u2"])).split(separator: ".").map(String.init)
                let rows: [(name: String, token: String?, answer: String)] = [
                    ("good", good, "200"), ("Bearer", "Bearer \(good)", "200"), ("again", good, "200"),
                    ("slash", claims(["iss": .string(issuer.url + "/")]), "200"),
                    ("list of audiences", claims(["aud": ["x", "app-2"]]), "200"),
                    ("azp", claims(["azp": "app-3"], without: ["aud"]), "200"),
                    ("missing", nil, "Missing authorization header"),
                    ("no token", "hello", Self.unreadable), ("two parts", parts[0] + "." + parts[1], Self.unreadable),
                    ("empty", "a.b.c", Self.unreadable),
                    ("payload of another", [parts[0], other[1], parts[2]].joined(separator: "."), Self.unreadable),
                    ("signature of another", [parts[0], parts[1], other[2]].joined(separator: "."), Self.unreadable),
                    ("none", issuer.token(Self.claims(issuer), algorithm: "none"), Self.unreadable),
                    ("HS256 by the public key", issuer.token(Self.claims(issuer), algorithm: "HS256"), Self.unreadable),
                    ("another algorithm", issuer.token(Self.claims(issuer), algorithm: "RS256"), Self.unreadable),
                    ("unknown kid", issuer.token(Self.claims(issuer), kid: "other"), Self.unreadable),
                    ("another key", issuer.token(Self.claims(issuer), by: P256.Signing.PrivateKey()), Self.unreadable),
                    ("foreign issuer", claims(["iss": "https://issuer.invalid"]), Self.denied),
                    ("no issuer", claims([:], without: ["iss"]), Self.denied),
                    ("wrong audience", claims(["aud": "xapp-1"]), Self.denied),
                    ("longer audience", claims(["aud": "app-12"]), Self.denied),
                    ("azp beside aud", claims(["aud": "x", "azp": "app-3"]), Self.denied),
                    ("no audience", claims([:], without: ["aud"]), Self.denied),
                    ("expired", claims(["exp": Self.seconds(-120)]), Self.expired),
                    ("no exp", claims([:], without: ["exp"]), Self.expired),
                    ("not yet", claims(["nbf": Self.seconds(300)]), Self.expired),
                    ("iatTTL", claims(["iat": Self.seconds(-101)]), Self.expired),
                    ("no iat", claims([:], without: ["iat"]), Self.denied),
                    ("authTTL", claims(["auth_time": Self.seconds(-201)]), Self.expired),
                    ("no auth_time", claims([:], without: ["auth_time"]), Self.denied),
                ]
                for row in rows {
                    let answer = try Self.answer(client, row.token)
                    #expect(answer == row.answer, "\(row.name)")
                }
                // However many tokens came, also with unknown keys.
                #expect(issuer.takePaths() == ["/.well-known/openid-configuration", "/keys"])
            }
        }
    }

    @Test("A token that finds too many verifications under way is throttled, and accepted once they have ended")
    func throttled() async throws {
        try await IssuerServer.with { issuer in
            try await TestServer.with { configuration in
                configuration.authModes = [.oidc]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
            } _: { server in
                let tokens = try #require(server.service.state.tokens.withLock { $0 })
                let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
                var count = 0
                // Each of an address of its own, since one has at most half of the places that the others leave.
                while tokens.verify(
                    for: issuer.url, from: "\(count)", bytes: 0,
                    {
                        await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                        return .refused("late")
                    }) != nil
                {
                    count += 1
                }
                #expect(count == 1_000)
                try await eventually { waiting.withLock { $0.count } == count }
                let client = try server.connect()
                let headers = [
                    "content-type": "application/json", "authorization": issuer.token(Self.claims(issuer)),
                ]
                let answer = try client.ask(headers: headers, body: Client.envelope(Self.query))
                #expect(answer.status == 429 && answer.body.contains("ThrottlingException"))
                for continuation in waiting.withLock({ $0 }) { continuation.resume() }
                try await eventually {
                    try client.ask(headers: headers, body: Client.envelope(Self.query)).status == 200
                }
            }
        }
    }

    @Test("A network that sent too many invalid tokens of issuers has no new ones verified until ten seconds are over")
    func forged() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await IssuerServer.with { issuer in
            try await TestServer.with(clock: WallClock { time.withLock { $0 } }) { configuration in
                configuration.authModes = [.oidc]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
            } _: { server in
                let tokens = try #require(server.service.state.tokens.withLock { $0 })
                for _ in 0..<ForgedTokens.perNetworkMax { tokens.forgedTokens.count(from: "127.0.0.1") }
                let client = try server.connect()
                let headers = [
                    "content-type": "application/json", "authorization": issuer.token(Self.claims(issuer)),
                ]
                let answer = try client.ask(headers: headers, body: Client.envelope(Self.query))
                #expect(answer.status == 429 && answer.body.contains("ThrottlingException"), "\(answer)")
                time.withLock { $0 += ForgedTokens.windowMilliseconds }
                #expect(try client.ask(headers: headers, body: Client.envelope(Self.query)).status == 200)
            }
        }
    }

    @Test("Keys are fetched again for an unknown key, once in half a minute, and once for all who wait")
    func keys() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await IssuerServer.with { issuer in
            let asked = Mutex(0)
            let executor = OperationExecutor(threadCount: 1)
            defer { executor.end() }
            let keys = IssuerKeys(
                ask: { request in
                    asked.withLock { $0 += 1 }
                    let body: JSONValue =
                        request.url.hasSuffix("/keys")
                        ? ["keys": [["kid": "first", "kty": "EC"]]]
                        : ["issuer": "http://i", "jwks_uri": "http://i/keys"]
                    return .success(.init(status: 200, body: Array(body.description.utf8)))
                }, now: { time.withLock { $0 } }, executor: executor, noteFailure: { _, _ in })
            let known = try #require(BearerToken(issuer.token(Self.claims(issuer))))
            let unknown = try #require(BearerToken(issuer.token(Self.claims(issuer), kid: "other")))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { #expect(await keys.keys(of: "http://i", for: known) != nil) } }
            }
            #expect(asked.withLock { $0 } == 2)
            for _ in 0..<20 { _ = await keys.keys(of: "http://i", for: unknown) }
            #expect(asked.withLock { $0 } == 2)
            time.withLock { $0 += 30_000 }
            for _ in 0..<20 { _ = await keys.keys(of: "http://i", for: unknown) }
            #expect(asked.withLock { $0 } == 4)
            time.withLock { $0 += 3_600_000 }
            for _ in 0..<20 { _ = await keys.keys(of: "http://i", for: known) }
            #expect(asked.withLock { $0 } == 6)
        }
    }

    @Test("The keys of an issuer that no longer answers are used for a day, and then no longer")
    func staleKeys() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        let answers = Mutex(true)
        try await IssuerServer.with { issuer in
            let executor = OperationExecutor(threadCount: 1)
            defer { executor.end() }
            let keys = IssuerKeys(
                ask: { request in
                    guard answers.withLock({ $0 }) else { return .success(.init(status: 500, body: [])) }
                    let body: JSONValue =
                        request.url.hasSuffix("/keys")
                        ? ["keys": [["kid": "first", "kty": "EC"]]]
                        : ["issuer": "http://i", "jwks_uri": "http://i/keys"]
                    return .success(.init(status: 200, body: Array(body.description.utf8)))
                }, now: { time.withLock { $0 } }, executor: executor, noteFailure: { _, _ in })
            let token = try #require(BearerToken(issuer.token(Self.claims(issuer))))
            #expect(await keys.keys(of: "http://i", for: token) != nil)
            answers.withLock { $0 = false }
            for (hours, isUsed) in [(Int64(2), true), (21, true), (1, false), (1, false)] {
                time.withLock { $0 += hours * 3_600_000 + 1 }
                let found = await keys.keys(of: "http://i", for: token)
                #expect((found != nil) == isUsed)
            }
            answers.withLock { $0 = true }
            time.withLock { $0 += 30_000 }
            #expect(await keys.keys(of: "http://i", for: token) != nil)
        }
    }

    @Test("A token whose key the issuer has withdrawn is refused when it is verified again")
    func rotation() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await IssuerServer.with { issuer in
            try await TestServer.with(clock: WallClock { time.withLock { $0 } }) { configuration in
                configuration.authModes = [.oidc]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
            } _: { server in
                let client = try server.connect()
                let old = issuer.token(Self.claims(issuer, ["exp": Self.seconds(100_000)]))
                #expect(try Self.answer(client, old) == "200")
                issuer.rotate(to: "second")
                time.withLock { $0 += 601_000 }
                let new = issuer.token(Self.claims(issuer, ["exp": Self.seconds(100_000)]))
                #expect(try Self.answer(client, new) == "200")
                #expect(try Self.answer(client, old) == Self.unreadable)
            }
        }
    }

    @Test("An issuer whose discovery document is another's, or that does not answer, has no valid tokens")
    func brokenIssuer() async throws {
        try await IssuerServer.with { issuer in
            try await TestServer.with { configuration in
                configuration.authModes = [.oidc]
                // The same server under another name.
                configuration.auth.issuers = [
                    TokenIssuer(
                        kind: .openID, issuer: issuer.url.replacing("127.0.0.1", with: "localhost")),
                    TokenIssuer(kind: .openID, issuer: "http://127.0.0.1:1"),
                ]
            } _: { server in
                let client = try server.connect()
                for url in [issuer.url.replacing("127.0.0.1", with: "localhost"), "http://127.0.0.1:1"] {
                    let token = issuer.token(Self.claims(issuer, ["iss": .string(url)]))
                    for _ in 0..<5 { #expect(try Self.answer(client, token) == Self.denied) }
                }
                #expect(issuer.takePaths() == ["/.well-known/openid-configuration"])
            }
        }
    }

    @Test("A subscription is begun by a token of another issuer, and refused by an altered one")
    func realtime() async throws {
        try await IssuerServer.with { issuer in
            try await TestServer.with { configuration in
                configuration.authModes = [.oidc]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
            } _: { server in
                let token = issuer.token(Self.claims(issuer))
                let socket = try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": token])
                try socket.send(#"{"type":"connection_init"}"#)
                _ = try socket.receiveAcknowledgement()
                for (token, isAccepted) in [(token, true), (token + "A", false)] {
                    let start = WebSocketClient.start("1", "subscription { onCreateMessage { room } }", key: token)
                        .replacing(#""x-api-key":"#, with: #""Authorization":"#)
                    let answer = try socket.ask(start)
                    #expect(answer.contains(isAccepted ? "start_ack" : "Permission denied"), "\(answer)")
                }
            }
        }
    }

    @Test("A token goes to the user pools or to its issuer by its iss, and to no mode by another")
    func order() async throws {
        try await IssuerServer.with { issuer in
            try await TestServer.with { configuration in
                configuration.authModes = [.userPools, .oidc]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
            } _: { server in
                let client = try server.connect()
                #expect(try Self.answer(client, issuer.token(Self.claims(issuer))) == "200")
                #expect(try Self.answer(client, issuer.token(Self.claims(issuer, ["iss": "x/y"]))) == Self.denied)
                #expect(try Self.answer(client, "hello") == Self.unreadable)
                let pool = try #require(server.service.state.userPools.withLock { $0 }).pools
                let own = "http://127.0.0.1:\(server.port)/\(UserPoolOptions().ids[0])"
                #expect(pool.isIssuer(own) || !pool.isIssuer(issuer.url))
                #expect(try Self.answer(client, issuer.token(Self.claims(issuer, ["iss": .string(own)]))) != "200")
            }
        }
    }

    @Test("A token of another server's user pool is signed with RS256 and held to its use and its client")
    func foreignPool() async throws {
        let issuer = TokenIssuer(kind: .userPool, issuer: "https://pool", clientIDPattern: "web")
        func acceptance(_ claims: JSONObject) -> String? {
            var claims = claims
            claims["exp"] = 1_000
            switch issuer.acceptance(of: claims, now: 999_000) {
            case .success(let end): return end == 1_060_000 ? nil : "end \(end)"
            case .failure(let refusal): return refusal.message
            }
        }
        #expect(acceptance(["token_use": "id", "aud": "web"]) == nil)
        #expect(acceptance(["token_use": "access", "client_id": "web"]) == nil)
        #expect(acceptance(["token_use": "access", "aud": "web"]) == Self.denied)
        #expect(acceptance(["token_use": "id", "aud": "other"]) == Self.denied)
        #expect(acceptance(["token_use": "refresh", "aud": "web"]) == Self.denied)
        #expect(acceptance(["aud": "web"]) == Self.denied)
        try await IssuerServer.with { server in
            try await TestServer.with { configuration in
                configuration.authModes = [.userPools]
                configuration.auth.issuers = [TokenIssuer(kind: .userPool, issuer: server.url)]
            } _: { api in
                let token = server.token(Self.claims(server, ["token_use": "id"]))
                let client = try api.connect()
                #expect(try Self.answer(client, token) == Self.unreadable)
            }
        }
    }
}
