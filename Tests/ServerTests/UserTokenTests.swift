import Foundation
import HTTP
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server
@testable import UserPools

extension UserPoolTests {
    @Suite("Tokens of user pools at GraphQL and on subscriptions")
    struct AcceptedTokens {
        /// A server with two configured pools, and operations without signatures.
        struct Stage {
            let server: TestServer
            let client: Client
            let service: UserPoolService

            static let pools: [JSONObject] = [
                ["id": "us-east-1_One", "name": "one", "clients": [["id": "iosapp"], ["id": "webapp"]]],
                ["id": "us-east-1_Two", "name": "two", "clients": [["id": "other"]]],
            ]
            private static let caller = Caller(address: "127.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "")

            static func with(
                schema: String = UserPoolTests.schema, clock: WallClock = .system,
                _ change: (inout Configuration) -> Void = { _ in }, _ body: (Stage) async throws -> Void
            ) async throws {
                try await TestServer.with(
                    schema: schema, clock: clock,
                    {
                        $0.userPools.pools = pools
                        change(&$0)
                    }
                ) { server in
                    let service = try #require(server.service.state.userPools.withLock { $0 })
                    try await body(Stage(server: server, client: try server.connect(), service: service))
                }
            }

            @discardableResult
            func perform(_ operation: String, _ body: JSONObject) async throws -> JSONObject {
                try await service.pools.performForOperator(operation, body, from: Self.caller).get()
            }

            /// The tokens of a user, who is made without a password where there is no such user.
            func tokens(_ name: String, in pool: String, _ client: String) async throws -> UserTokens {
                let settings = try #require(service.pools.directory.pool(pool))
                _ = try await service.pools.makeUser(named: name, [], password: nil, status: .confirmed, in: settings)
                let output = try await perform(
                    "MintToken",
                    ["UserPoolId": .string(pool), "Username": .string(name), "ClientId": .string(client)])
                return try UserTokens(output)
            }

            /// Serves with these providers from now on.
            func accept(_ providers: [UserPoolProvider]) async throws {
                var configuration = server.configuration
                configuration.userPoolProviders = providers
                _ = try server.service.reload(configuration)
                for loop in server.service.server.loops {
                    await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
                }
            }

            /// A pool and a client that calls have made, whose tokens the API accepts beside those of pool one.
            func makeAcceptedPool() async throws -> (pool: String, client: String) {
                let made = try await perform("CreateUserPool", ["PoolName": "made"])
                let pool = try #require(made["UserPool"]?["Id"]?.stringValue)
                let app = try await perform(
                    "CreateUserPoolClient", ["UserPoolId": .string(pool), "ClientName": "app"])
                let client = try #require(app["UserPoolClient"]?["ClientId"]?.stringValue)
                try await accept([UserPoolProvider(poolID: pool), UserPoolProvider(poolID: "us-east-1_One")])
                return (pool, client)
            }

            func post(_ query: String, by token: String) throws -> Client.Answer {
                try client.ask(
                    headers: ["authorization": token, "content-type": "application/json"], body: Client.envelope(query))
            }

            /// A list that signed-in users may read.
            func list(by token: String) throws -> Client.Answer {
                try post("{ listNotes { items { id } } }", by: token)
            }

            func socket(_ subprotocol: String, by token: String) throws -> WebSocketClient {
                let socket = try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": subprotocol])
                try socket.send(#"{"type":"connection_init","payload":{"authorization":"\#(token)"}}"#)
                #expect(try socket.receive() == #"{"type":"connection_ack"}"#)
                if subprotocol == "graphql-ws" { #expect(try socket.receiveText() == WebSocketClient.keepAlive) }
                return socket
            }

            /// A subscription in the protocol of graphql-ws, which has begun.
            func transport(by token: String) throws -> WebSocketClient {
                let socket = try socket("graphql-transport-ws", by: token)
                try socket.send(AcceptedTokens.subscribe("s"))
                #expect(try socket.ask(#"{"type":"ping"}"#) == #"{"type":"pong"}"#)
                return socket
            }

            /// The same in Apollo's older protocol, which has no ping: a stop of nothing but itself is not answered.
            func apollo(by token: String) throws -> WebSocketClient {
                let socket = try socket("graphql-ws", by: token)
                try socket.send(
                    #"{"id":"s","type":"start","payload":{"query":"subscription { onNote { id } }"}}"#)
                #expect(try socket.ask(#"{"type":"connection_init"}"#) == #"{"type":"connection_ack"}"#)
                #expect(try socket.receiveText() == WebSocketClient.keepAlive)
                return socket
            }

            /// The same in AppSync's protocol, whose connection is opened by the API key.
            func appSync(by token: String) throws -> WebSocketClient {
                let socket = try WebSocketClient(port: server.port).acknowledged()
                #expect(
                    try socket.ask(AcceptedTokens.start("s", "subscription { onNote { id } }", token))
                        == WebSocketClient.acknowledgement("s"))
                return socket
            }
        }

        struct UserTokens {
            let access: String
            let id: String
            let refresh: String

            init(_ output: JSONObject) throws {
                let result = try #require(output["AuthenticationResult"], "\(output)")
                access = try #require(result["AccessToken"]?.stringValue)
                id = try #require(result["IdToken"]?.stringValue)
                refresh = try #require(result["RefreshToken"]?.stringValue)
            }
        }

        static func subscribe(_ id: String, _ query: String = "subscription { onNote { id } }") -> String {
            #"{"id":"\#(id)","type":"subscribe","payload":{"query":"\#(query)"}}"#
        }

        static func start(_ id: String, _ query: String, _ token: String) -> String {
            WebSocketClient.start(id, query, key: token).replacing(#""x-api-key":"#, with: #""authorization":"#)
        }

        private static let denied = "You are not authorized to make this call."
        private static let refusedOperation =
            #"{"id":"x","type":"error","payload":[{"errorType":"UnauthorizedException","message":"Permission denied"}]}"#

        private static func refusal(_ answer: Client.Answer) throws -> String? {
            guard answer.status == 401 else { return nil }
            return try JSONReader.read(answer.bytes)["errors"]?.arrayValue?.first?["message"]?.stringValue
        }

        // MARK: Whose tokens

        @Test("a token of a pool that has no client is refused with what to add")
        func poolWithoutClient() async throws {
            try await Stage.with { stage in
                let made = try await stage.perform("CreateUserPool", ["PoolName": "made"])
                let pool = try #require(made["UserPool"]?["Id"]?.stringValue)
                let settings = try #require(stage.service.pools.directory.pool(pool))
                _ = try await stage.service.pools.makeUser(
                    named: "ada", [], password: nil, status: .confirmed, in: settings)
                let error = await #expect(throws: CognitoError.self) {
                    try await stage.perform("MintToken", ["UserPoolId": .string(pool), "Username": "ada"])
                }
                #expect(
                    error?.message == "User pool \(pool) has no client. Add one to its 'clients' in the configuration.")
            }
        }

        @Test(
            "the mode accepts tokens of the pools that it names, of clients whose id matches as a whole, and no others")
        func providers() async throws {
            let (one, two) = ("us-east-1_One", "us-east-1_Two")
            let rows: [(providers: [UserPoolProvider], accepted: Set<String>)] = [
                ([], ["iosapp", "webapp", "other"]),
                ([UserPoolProvider()], ["iosapp", "webapp", "other"]),
                ([UserPoolProvider(poolID: one)], ["iosapp", "webapp"]),
                ([UserPoolProvider(poolID: two)], ["other"]),
                ([UserPoolProvider(poolID: one), UserPoolProvider(poolID: two)], ["iosapp", "webapp", "other"]),
                ([UserPoolProvider(poolID: one, clientIDPattern: "iosapp|othe")], ["iosapp"]),
                ([UserPoolProvider(poolID: one, clientIDPattern: "ios")], []),
                ([UserPoolProvider(clientIDPattern: "[a-z]*(app|er)")], ["iosapp", "webapp", "other"]),
                (
                    [
                        UserPoolProvider(poolID: one, clientIDPattern: "web.*"),
                        UserPoolProvider(poolID: two, clientIDPattern: "nobody"),
                    ], ["webapp"]
                ),
            ]
            try await Stage.with { stage in
                let made = try await stage.perform("CreateUserPool", ["PoolName": "made"])
                let id = try #require(made["UserPool"]?["Id"]?.stringValue)
                let app = try await stage.perform(
                    "CreateUserPoolClient", ["UserPoolId": .string(id), "ClientName": "a"])
                let madeClient = try #require(app["UserPoolClient"]?["ClientId"]?.stringValue)
                var tokens: [(client: String, token: String)] = []
                for (pool, client) in [(one, "iosapp"), (one, "webapp"), (two, "other"), (id, madeClient)] {
                    let user = try await stage.tokens("jane", in: pool, client)
                    tokens += [(client, user.access), (client, user.id)]
                }
                for (providers, accepted) in rows {
                    try await stage.accept(providers)
                    // The second time the tokens have been seen.
                    for _ in 0..<2 {
                        for (client, token) in tokens {
                            let answer = try stage.list(by: token)
                            #expect(answer.status == (accepted.contains(client) ? 200 : 401), "\(providers) \(client)")
                            if answer.status == 401 { #expect(try Self.refusal(answer) == Self.denied) }
                        }
                    }
                }
            }
        }

        @Test("a reload that accepts a pool no longer ends the subscriptions of its users, and no others")
        func reload() async throws {
            try await Stage.with { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let bob = try await stage.tokens("bob", in: "us-east-1_Two", "other")
                let (ended, kept) = (try stage.transport(by: jane.access), try stage.transport(by: bob.access))
                try await stage.accept([UserPoolProvider(poolID: "us-east-1_Two")])
                #expect(try ended.receive().contains(#""errorType":"UnauthorizedException""#))
                _ = try stage.post(#"mutation { createNote(input: {id: "1"}) { id } }"#, by: bob.access)
                #expect(try kept.receive().contains(#""type":"next""#))
            }
        }

        @Test("a token that is no good is refused with AppSync's words: form, signature, issuer, use, time")
        func texts() async throws {
            try await Stage.with { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let unreadable = "Unable to parse JWT token."
                let claims = try #require(JSONWebToken(jane.access)).claims
                let now = Int64(Date().timeIntervalSince1970)
                func signed(_ changes: JSONObject, by use: SigningKey.Use = .access) async throws -> String {
                    var claims = claims
                    for (name, value) in changes { claims[name] = value }
                    return try await stage.service.pools.keys.current(use, of: "us-east-1_One").sign(claims)
                }
                let issuer = try #require(claims["iss"]?.stringValue)
                let past = JSONValue.number(String(now - 1)), future = JSONValue.number(String(now + 600))
                let rows: [(String, String)] = [
                    ("junk", unreadable), ("a.b", unreadable), ("a.b.c", unreadable), ("Bearer a.b.c", unreadable),
                    (String(jane.access.dropLast(4)) + "AAAA", unreadable),
                    (try await signed([:], by: .id), unreadable),
                    (
                        try await signed(["iss": "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_None"]),
                        unreadable
                    ),
                    (try await signed(["iss": .string("x\(issuer)")]), Self.denied),
                    (try await signed(["iss": .string("https://127.0.0.1/us-east-1_One")]), Self.denied),
                    (try await signed(["token_use": "refresh"]), Self.denied),
                    (try await signed(["token_use": .null]), Self.denied),
                    (try await signed(["exp": past]), "Token has expired."),
                    (try await signed(["nbf": future]), "Token has expired."),
                    (try await signed(["client_id": "other"]), Self.denied),
                ]
                for (token, message) in rows {
                    #expect(try Self.refusal(try stage.list(by: token)) == message, "\(token)")
                }
                let valid = try await signed(["nbf": past])
                #expect(try stage.list(by: valid).status == 200)
                #expect(
                    try Self.refusal(try stage.list(by: "AWS4-HMAC-SHA256 Credential=a.b.c"))
                        == "Valid authorization header not provided.")
            }
        }

        // MARK: What ends

        /// What ends sessions.
        enum Ending: CaseIterable { case revoke, signOut, disable, delete, deleteClient, deletePool }

        @Test("an end of sessions ends their subscriptions in every protocol, and open connections begin nothing more")
        func endings() async throws {
            try await Stage.with { stage in
                let bob = try await stage.tokens("bob", in: "us-east-1_One", "iosapp")
                for (number, ending) in Ending.allCases.enumerated() {
                    let made = try await stage.makeAcceptedPool()
                    let jane = try await stage.tokens("jane", in: made.pool, made.client)
                    let sockets = [
                        try stage.transport(by: jane.access), try stage.apollo(by: jane.access),
                        try stage.appSync(by: jane.access),
                    ]
                    let idle = try stage.socket("graphql-transport-ws", by: jane.access)
                    let kept = try stage.transport(by: bob.access)
                    let pool = JSONValue.string(made.pool)
                    switch ending {
                    case .revoke:
                        try await stage.perform(
                            "RevokeToken", ["Token": .string(jane.refresh), "ClientId": .string(made.client)])
                    case .signOut:
                        try await stage.perform("AdminUserGlobalSignOut", ["UserPoolId": pool, "Username": "jane"])
                    case .disable:
                        try await stage.perform("AdminDisableUser", ["UserPoolId": pool, "Username": "jane"])
                    case .delete: try await stage.perform("AdminDeleteUser", ["UserPoolId": pool, "Username": "jane"])
                    case .deleteClient:
                        try await stage.perform(
                            "DeleteUserPoolClient", ["UserPoolId": pool, "ClientId": .string(made.client)])
                    case .deletePool: try await stage.perform("DeleteUserPool", ["UserPoolId": pool])
                    }
                    for socket in sockets {
                        let text = try socket.receive()
                        #expect(text.contains(#""type":"error""#) && text.contains(#""id":"s""#), "\(ending) \(text)")
                        #expect(text.contains(#""errorType":"UnauthorizedException""#), "\(ending) \(text)")
                    }
                    for socket in [sockets[0], idle] {
                        for query in [
                            "subscription { onNote { id } }", "{ listNotes { items { id } } }",
                            "mutation { createNote(input: {}) { id } }",
                        ] {
                            #expect(try socket.ask(Self.subscribe("x", query)) == Self.refusedOperation, "\(ending)")
                        }
                    }
                    let old = #"{"id":"x","type":"start","payload":{"query":"{ listNotes { items { id } } }"}}"#
                    #expect(try sockets[1].ask(old).contains("UnauthorizedException"), "\(ending)")
                    let start = Self.start("x", "subscription { onNote { id } }", jane.access)
                    #expect(try sockets[2].ask(start).contains("UnauthorizedException"), "\(ending)")
                    let message = ending == .deletePool ? "Unable to parse JWT token." : Self.denied
                    #expect(try Self.refusal(try stage.list(by: jane.access)) == message, "\(ending)")
                    #expect(try Self.refusal(try stage.list(by: jane.id)) == message, "\(ending)")
                    _ = try stage.post("mutation { createNote(input: {id: \"\(number)\"}) { id } }", by: bob.access)
                    #expect(try kept.receive().contains(#""type":"next""#), "\(ending)")
                }
            }
        }

        @Test("where AppSync is copied, revoked tokens are accepted on open connections too")
        func revokedUntilExpiry() async throws {
            try await Stage.with {
                $0.compatibility.acceptsRevokedTokens = true
            } _: { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let socket = try stage.transport(by: jane.access)
                try await stage.perform(
                    "AdminUserGlobalSignOut", ["UserPoolId": "us-east-1_One", "Username": "jane"])
                let created = try stage.post(#"mutation { createNote(input: {id: "1"}) { id } }"#, by: jane.access)
                #expect(created.status == 200)
                #expect(try socket.receive().contains(#""type":"next""#))
                #expect(
                    try socket.ask(Self.subscribe("x", "{ listNotes { items { id } } }"))
                        == #"{"id":"x","type":"next","payload":{"data":{"listNotes":{"items":[{"id":"1"}]}}}}"#)
            }
        }

        @Test("a token that expires ends no subscription, and begins nothing more on its connection")
        func expiry() async throws {
            let time = Mutex(Int64(Date().timeIntervalSince1970 * 1_000))
            try await Stage.with(clock: WallClock { time.withLock { $0 } }) { stage in
                let old = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let socket = try stage.transport(by: old.access)
                time.withLock { $0 += 2 * 3_600_000 }
                let new = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                _ = try stage.post(#"mutation { createNote(input: {id: "1"}) { id } }"#, by: new.access)
                #expect(try socket.receive().contains(#""type":"next""#))
                #expect(try socket.ask(Self.subscribe("x")) == Self.refusedOperation)
                #expect(
                    try socket.ask(Self.subscribe("x", "{ listNotes { items { id } } }")) == Self.refusedOperation)
                #expect(try Self.refusal(try stage.list(by: old.access)) == "Token has expired.")
            }
        }

        @Test("a device whose session was revoked syncs nothing, and is sent nothing of what it missed")
        func dataStore() async throws {
            let schema = """
                type Note @model @auth(rules: [{allow: private}]) { id: ID! text: String }
                """
            try await Stage.with(schema: schema, { $0.transform.conflictDetection = .version }) { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let bob = try await stage.tokens("bob", in: "us-east-1_One", "iosapp")
                let subscription = "subscription { onUpdateNote { id _version } }"
                let id = "b1f0c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d"
                let update = #"mutation { updateNote(input: {id: "n"}) { id _version } }"#
                let sync = "{ syncNotes(lastSync: 0) { items { id _version } } }"
                func connect() throws -> WebSocketClient { try WebSocketClient(port: stage.server.port).acknowledged() }
                func updateUnseen() async throws {
                    let metrics = try stage.server.connect()
                    try await eventually { try metrics.metric("websockets_open") == 0 }
                    #expect(try stage.post(update, by: bob.access).body.contains("updateNote"))
                }

                _ = try stage.post(#"mutation { createNote(input: {id: "n"}) { id _version } }"#, by: jane.access)
                do {
                    let socket = try connect()
                    #expect(try socket.ask(Self.start(id, subscription, jane.access)).contains("start_ack"))
                    socket.resetOnClose()
                }
                try await updateUnseen()
                // As long as the session lives, what was missed comes.
                do {
                    let socket = try connect()
                    #expect(try socket.ask(Self.start(id, subscription, jane.access)).contains("start_ack"))
                    #expect(try socket.receive().contains(#""_version":2"#))
                    socket.resetOnClose()
                }
                #expect(try stage.post(sync, by: jane.access).body.contains(#""_version":2"#))
                try await updateUnseen()
                try await stage.perform(
                    "RevokeToken", ["Token": .string(jane.refresh), "ClientId": "iosapp"])
                let socket = try connect()
                #expect(try socket.ask(Self.start(id, subscription, jane.access)).contains("Permission denied"))
                #expect(try socket.ask(WebSocketClient.stop("none")) == WebSocketClient.completion("none"))
                let refused = try stage.post(sync, by: jane.access)
                #expect(refused.status == 401 && !refused.body.contains("syncNotes"))
                // By the connection's own credentials neither.
                let headers = ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": jane.access]
                let other = try WebSocketClient(port: stage.server.port, headers: headers)
                #expect(try other.ask(WebSocketClient.initialisation).contains("connection_error"))
                #expect(try stage.post(sync, by: bob.access).body.contains(#""_version":3"#))
            }
        }

        // MARK: Threads

        @Test("credentials that find the verifications full are throttled, on the realtime channel too, and not denied")
        func throttled() async throws {
            try await Stage.with {
                $0.limits.userPools.operationsMax = 1
            } _: { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let api = try WebSocketClient(port: stage.server.port).acknowledged()
                let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                @Sendable func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
                #expect(
                    stage.service.runVerification(for: "another") { _ in
                        began.signal()
                        wait(end)
                    })
                wait(began)
                defer { end.signal() }
                let body = #"{"errors":[{"errorType":"ThrottlingException","message":"Rate exceeded"}]}"#
                for token in [jane.access, "AWS4-HMAC-SHA256 Credential=x"] {
                    let answer = try stage.list(by: token)
                    let isSigned = token.hasPrefix("AWS4")
                    #expect(isSigned || answer.status == 429 && answer.body == body, "\(answer)")
                    #expect(isSigned || answer["Retry-After"] == ["1"])
                }
                let limit = #""errorType":"LimitExceededError","message":"Rate limit exceeded""#
                #expect(
                    try api.ask(Self.start("s", "subscription { onNote { id } }", jane.access))
                        == #"{"id":"s","type":"error","payload":{"errors":[{\#(limit)}]}}"#)
                let opening = try WebSocketClient(
                    port: stage.server.port,
                    headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": jane.access])
                #expect(
                    try opening.receive()
                        == #"{"payload":{"errors":[{\#(limit),"errorCode":429}]},"type":"connection_error"}"#)
                let transport = try WebSocketClient(
                    port: stage.server.port, headers: ["Sec-WebSocket-Protocol": "graphql-transport-ws"])
                try transport.send(#"{"type":"connection_init","payload":{"authorization":"\#(jane.access)"}}"#)
                #expect(try transport.receiveClose().code == 1013)
            }
        }

        @Test("an id token with long attributes is accepted wherever the bound of headers lets it pass")
        func longToken() async throws {
            try await Stage.with {
                $0.limits.http.requestHeadBytesMax = 65_536
                $0.limits.userPools.attributeBytesPerUserMax = 32_768
            } _: { stage in
                let pool = try #require(stage.service.pools.directory.pool("us-east-1_One"))
                let names = [
                    "profile", "picture", "website", "address", "name", "given_name", "family_name", "middle_name",
                    "nickname", "locale", "zoneinfo", "gender",
                ]
                let long = String(repeating: "x", count: 2_048)
                _ = try await stage.service.pools.makeUser(
                    named: "jane", names.map { Attribute(name: $0, value: long) }, password: nil, status: .confirmed,
                    in: pool)
                let jane = try await stage.tokens("jane", in: pool.id, "iosapp")
                #expect(jane.id.utf8.count > 24_000)
                for _ in 0..<2 { #expect(try stage.list(by: jane.id).status == 200) }
            }
        }

        @Test("a pool that a call makes after a reload has the new publicURL as its issuer, as configured pools have")
        func newPublicURL() async throws {
            try await Stage.with { stage in
                let old = try await stage.makeAcceptedPool()
                var configuration = stage.server.configuration
                configuration.userPools.publicURL = "https://users.example"
                try await stage.server.service.reloadServices(configuration, stage.server.service.summary)
                let new = try await stage.makeAcceptedPool()
                for (pool, client) in [("us-east-1_One", "iosapp"), (old.pool, old.client), (new.pool, new.client)] {
                    let token = try await stage.tokens("jane", in: pool, client).access
                    #expect(
                        try #require(JSONWebToken(token)).claims["iss"]?.stringValue
                            == "https://users.example/\(pool)")
                    #expect(stage.service.pools.directory.issuers(of: pool).count == (pool == new.pool ? 1 : 2))
                }
            }
        }

        @Test("a function receives all claims of the token, also those that no rule looks at, and the addresses")
        func functionIdentity() async throws {
            try await FunctionServer.with(.init(body: "null")) { function, url in
                try await Stage.with(
                    schema: """
                        type Note @model @auth(rules: [{allow: private}]) { id: ID! }
                        type Query { f: String @function(name: "f") @aws_cognito_user_pools }
                        """,
                    { $0.functions = FunctionList([Function(name: "f", url: url)]) }
                ) { stage in
                    let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                    for (token, use) in [(jane.access, "access"), (jane.id, "id"), (jane.access, "access")] {
                        let answer = try stage.client.ask(
                            headers: [
                                "authorization": "Bearer \(token)", "content-type": "application/json",
                                "x-forwarded-for": "10.0.0.1, 10.0.0.2", "x-syncline-operator": "secret",
                            ], body: Client.envelope("{ f }"))
                        #expect(answer.body == #"{"data":{"f":null}}"#)
                        let event = try #require(function.calls.last?.event)
                        let identity = try #require(event["identity"])
                        let claims = try #require(JSONWebToken(token)).claims
                        #expect(identity["claims"] == .object(claims) && claims["token_use"]?.stringValue == use)
                        #expect(identity["username"] == "jane" && identity["issuer"] == claims["iss"])
                        #expect(identity["sourceIp"] == ["10.0.0.1", "10.0.0.2", "127.0.0.1"])
                        #expect(event["request"]?["headers"]?["x-syncline-operator"] == nil)
                    }
                }
            }
        }

        @Test("a token is verified while every thread of sign-ins is busy")
        func verification() async throws {
            try await Stage.with { stage in
                let jane = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let gate = DispatchSemaphore(value: 0)
                let busyCount = Atomic(0)
                let threadCount = max(2, Cores.usableCount)
                @Sendable func hold() { gate.wait() }
                for _ in 0..<2 * threadCount {
                    let isAccepted = stage.service.run { _ in
                        busyCount.add(1, ordering: .relaxed)
                        hold()
                    }
                    #expect(isAccepted)
                }
                defer { for _ in 0..<2 * threadCount { gate.signal() } }
                try await eventually { busyCount.load(ordering: .relaxed) == threadCount }
                #expect(try stage.list(by: jane.access).status == 200)
                #expect(busyCount.load(ordering: .relaxed) == threadCount)
            }
        }

        // MARK: Discovery

        @Test(
            "after a restart on another port, discovery and new tokens have the new address, and old tokens are accepted"
        )
        func restart() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            func change(_ configuration: inout Configuration) {
                configuration.data.isEphemeral = false
                configuration.data.folder = folder.path("data")
            }
            func checkDiscovery(_ stage: Stage, base: String, by token: String) throws {
                let path = "/us-east-1_One/.well-known/openid-configuration"
                let document = try JSONReader.read(try stage.client.ask("GET", path, headers: [:]).bytes)
                #expect(document["issuer"] == .string("\(base)/us-east-1_One"))
                #expect(document["issuer"] == JSONWebToken(token)?.claims["iss"])
                #expect(document["jwks_uri"] == .string("\(base)/us-east-1_One/.well-known/jwks.json"))
                #expect(document["token_endpoint"] == .string("\(base)/oauth2/token"))
            }
            var old: UserTokens?
            var oldPort = 0
            try await Stage.with(change) { stage in
                let tokens = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                try checkDiscovery(stage, base: "http://127.0.0.1:\(stage.server.port)", by: tokens.access)
                (old, oldPort) = (tokens, stage.server.port)
            }
            // Another takes the port, so that the second start gets a new one.
            let holder = HTTPServer(responder: Routes(loopServices: []))
            _ = try? holder.listen(host: "127.0.0.1", port: oldPort)
            let first = try #require(old)
            try await Stage.with(change) { stage in
                try #require(stage.server.port != oldPort)
                let new = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                try checkDiscovery(stage, base: "http://127.0.0.1:\(stage.server.port)", by: new.access)
                #expect(try stage.list(by: first.access).status == 200)
                #expect(try stage.list(by: new.access).status == 200)
            }
            try await Stage.with {
                change(&$0)
                $0.userPools.publicURL = "https://api.example.com"
            } _: { stage in
                let new = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                try checkDiscovery(stage, base: "https://api.example.com", by: new.access)
                #expect(try stage.list(by: first.access).status == 200)
                #expect(try stage.list(by: new.access).status == 200)
            }
            await holder.shutdown(drainSeconds: 0)
        }
    }
}
