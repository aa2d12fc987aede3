import API
import Dispatch
import AWSSignature
import Foundation
import HTTP
import JSON
import Tables
import Synchronization
import Testing
import Transformer

@testable import Server
@testable import UserPools

/// Subscriptions whose credentials a reload or a revocation withdraws.
@Suite("Subscriptions end when their credentials are withdrawn")
struct WithdrawnCredentialsTests {
    private static let schema = """
        type Note @model { id: ID! text: String }
        type Subscription {
          onNote: Note @aws_subscribe(mutations: ["createNote"]) @aws_api_key @aws_oidc @aws_iam @aws_lambda
            @aws_cognito_user_pools
        }
        input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
        """
    private static let query = "subscription { onNote { __typename } }"
    private static let denied =
        #"{"id":"s","type":"error","payload":{"errors":[{"errorType":"UnauthorizedException","message":"Permission denied"}]}}"#

    /// A socket whose subscription `s` has begun by these credentials.
    private static func subscriber(
        _ port: Int, _ credentials: [String: String], to query: String = query
    ) throws -> WebSocketClient {
        let socket = try WebSocketClient(port: port).acknowledged()
        let reply = try socket.ask(start(credentials, query))
        #expect(reply == WebSocketClient.acknowledgement("s"))
        return socket
    }

    private static func start(_ credentials: [String: String], _ query: String = query) -> String {
        let authorization = JSONValue.object(JSONObject(credentials.map { ($0.key, .string($0.value)) }))
        let data = JSONValue.string(JSONValue.object(["query": .string(query)]).description)
        let payload = #"{"data":\#(data),"extensions":{"authorization":\#(authorization)}}"#
        return #"{"id":"s","type":"start","payload":\#(payload)}"#
    }

    /// Whether the subscription goes on, after all that was sent before.
    private static func isOpen(_ socket: WebSocketClient) throws -> Bool {
        let reply = try socket.ask(WebSocketClient.stop("none"))
        guard reply == denied else {
            #expect(reply == WebSocketClient.completion("none"))
            return true
        }
        #expect(try socket.receive() == WebSocketClient.completion("none"))
        return false
    }

    private static func reload(
        _ server: TestServer, _ change: (inout Configuration) -> Void
    ) async throws {
        var configuration = server.configuration
        change(&configuration)
        try await server.service.reloadServices(configuration, server.service.summary)
        _ = try server.service.reload(configuration)
        for loop in server.service.server.loops {
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        }
    }

    @Test("a reload without an API key ends what was begun by it, in the protocol's words, and nothing else")
    func apiKeys() async throws {
        let keys = ["da2-first", TestServer.key]
        try await TestServer.with(schema: Self.schema) {
            $0.apiKeys.configured = keys
        } _: { server in
            let sockets = try keys.map { try Self.subscriber(server.port, ["x-api-key": $0]) }
            try await Self.reload(server) { _ in }
            #expect(try sockets.map(Self.isOpen) == [true, true])
            try await Self.reload(server) { $0.apiKeys.configured = [TestServer.key] }
            #expect(try sockets.map(Self.isOpen) == [false, true])
            // It begins again by a key that is accepted, on the same socket.
            #expect(try sockets[0].ask(Self.start(["x-api-key": "da2-first"])) == Self.denied)
            #expect(
                try sockets[0].ask(Self.start(["x-api-key": TestServer.key]))
                    == WebSocketClient.acknowledgement("s"))
        }
    }

    @Test("a created API key ends its subscriptions when it is revoked, and not when it expires")
    func revokedKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with(schema: Self.schema) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
        } _: { server in
            let operators = OperatorClient(server.configuration)
            let sockets = try await ["one", "two"].asyncMap { name in
                let key = try await operators.createKey(name, days: 1)["key"]?.stringValue ?? ""
                return try Self.subscriber(server.port, ["x-api-key": key])
            }
            _ = try await operators.revokeKey("one")
            #expect(try sockets[0].receive() == Self.denied)
            #expect(try Self.isOpen(sockets[1]))
        }
    }

    @Test("a reload without an issuer ends what its tokens began, and keeps what those of another began")
    func issuers() async throws {
        try await IssuerServer.with { one in
            try await IssuerServer.with { two in
                let issuers = [one, two].map { TokenIssuer(kind: .openID, issuer: $0.url, clientIDPattern: "app") }
                try await TestServer.with(schema: Self.schema) {
                    $0.authModes = [.apiKey, .oidc]
                    $0.auth.issuers = issuers
                } _: { server in
                    let expiry = JSONValue.number(String(WallClock.system.milliseconds() / 1_000 + 600))
                    func subscriber(_ issuer: IssuerServer) throws -> WebSocketClient {
                        let token = issuer.token(["iss": .string(issuer.url), "sub": "u", "aud": "app", "exp": expiry])
                        return try Self.subscriber(server.port, ["Authorization": token])
                    }
                    let sockets = [try subscriber(one), try subscriber(two)]
                    try await Self.reload(server) { $0.auth.issuers = issuers }
                    #expect(try sockets.map(Self.isOpen) == [true, true])
                    try await Self.reload(server) { $0.auth.issuers = [issuers[1]] }
                    #expect(try sockets.map(Self.isOpen) == [false, true])
                    var others = issuers
                    others[1].clientIDPattern = "other"
                    try await Self.reload(server) { $0.auth.issuers = others }
                    #expect(try sockets.map(Self.isOpen) == [true, false])
                    let again = try subscriber(one)
                    try await Self.reload(server) { $0.authModes = [.apiKey] }
                    #expect(try !Self.isOpen(again))
                }
            }
        }
    }

    private static func signed(by key: AccessKey) throws -> [String: String] {
        try signed(JSONValue.object(["query": .string(query)]).description, key)
    }

    /// The headers of a signed request with this body.
    private static func signed(_ body: String, _ key: AccessKey, session: String? = nil) throws -> [String: String] {
        var request = SignedRequest(
            method: "POST", path: "/graphql", headers: [("host", "localhost")],
            bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
        try RequestSigner(
            accessKeyID: key.id, secret: key.secret, sessionToken: session, region: "us-east-1", service: "appsync"
        ).sign(&request, now: Int64(Date().timeIntervalSince1970))
        return Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    @Test(
        "a subscription that is signed with credentials of the identity pool ends with the sessions of its user alone",
        arguments: ["AdminDisableUser", "AdminUserGlobalSignOut", "AdminSetUserPassword", "AdminDeleteUser"])
    func temporaryCredentials(_ operation: String) async throws {
        let schema = """
            type Note @model @auth(rules: [{allow: private, provider: iam}, {allow: public}]) { id: ID! text: String }
            """
        try await TestServer.with(schema: schema) {
            $0.authModes = [.apiKey, .iam]
            $0.userPools.pools = UserPoolTests.AcceptedTokens.Stage.pools
        } _: { server in
            let pools = try #require(server.service.state.userPools.withLock { $0 }).pools
            let pool = try #require(pools.directory.pool("us-east-1_One"))
            let query = "subscription { onCreateNote { id } }"
            let body = JSONValue.object(["query": .string(query)]).description
            let sockets = try await ["ana", "ben"].asyncMap { name in
                let user = try #require(
                    try await pools.makeUser(named: name, [], password: nil, status: .confirmed, in: pool))
                let identity = TemporaryIdentity(
                    poolID: "us-east-1:p", identityID: "us-east-1:\(name)", isAuthenticated: true,
                    role: "arn:aws:iam::000000000000:role/auth", userPoolID: pool.id, sub: user.sub,
                    expires: pools.now + TemporaryCredentials.lifetime)
                let credentials = TemporaryCredentials(identity, by: pools.sealer, pools.randomness)
                let key = AccessKey(id: credentials.accessKeyID, secret: credentials.secretKey)
                return try Self.subscriber(
                    server.port, try Self.signed(body, key, session: credentials.sessionToken), to: query)
            }
            var call: JSONObject = ["UserPoolId": .string(pool.id), "Username": "ana"]
            if operation == "AdminSetUserPassword" { call["Password"] = "Passw0rd!" }
            let caller = Caller(address: "127.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "")
            _ = try await pools.performForOperator(operation, call, from: caller).get()
            #expect(
                try sockets[0].receive()
                    == #"{"id":"s","type":"error","payload":{"errors":[{"errorType":"UnauthorizedException","#
                    + #""message":"The session has ended."}]}}"#)
            #expect(try Self.isOpen(sockets[1]))
        }
    }

    @Test("an ended user or pool concerns the credentials whose provider names it exactly")
    func providers() {
        let provider =
            #""cognito-idp.us-east-1.amazonaws.com/us-east-1_One","cognito-idp.us-east-1.amazonaws.com/us-east-1_One:CognitoSignIn:ab-1""#
        let cases: [(UserPoolServices.Ended, Bool)] = [
            (.user("ab-1"), true), (.user("ab-"), false), (.user("b-1"), false), (.pool("us-east-1_One"), true),
            (.pool("us-east-1_On"), false), (.pool("1_One"), false), (.session("ab-1"), false),
            (.client("us-east-1_One"), false),
        ]
        for (ended, concerns) in cases {
            #expect(ended.concerns(provider: provider) == concerns, "\(ended)")
        }
    }

    @Test(
        "a reload that changes a key's secret, resources or roles, or the authorizer's function, ends what they began")
    func changedKeys() async throws {
        let key = AccessKey(id: "AKIAEXAMPLE", secret: "secret")
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { _, url in
            try await TestServer.with(schema: Self.schema) {
                $0.authModes = [.apiKey, .iam, .lambda]
                $0.userPools.accessKeys = [key]
                $0.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
            } _: { server in
                let changes: [@Sendable (inout Configuration) -> Void] = [
                    { $0.userPools.accessKeys[0].secret = "other" },
                    { $0.userPools.accessKeys[0].resources = ["Subscription.*"] },
                    { $0.transform.adminRoles = ["arn:"] },
                ]
                for change in changes {
                    try await Self.reload(server) { _ in }
                    let socket = try Self.subscriber(server.port, try Self.signed(by: key))
                    try await Self.reload(server) { _ in }
                    #expect(try Self.isOpen(socket))
                    try await Self.reload(server, change)
                    #expect(try !Self.isOpen(socket))
                }
                let socket = try Self.subscriber(server.port, ["Authorization": "token"])
                try await Self.reload(server) { $0.auth.authorizer?.seconds = 5 }
                #expect(try Self.isOpen(socket))
                try await Self.reload(server) { $0.auth.authorizer?.pattern = "t.*" }
                #expect(try !Self.isOpen(socket))
                try await Self.reload(server) { _ in }
                let last = try Self.subscriber(server.port, ["Authorization": "token"])
                try await Self.reload(server) {
                    $0.auth.authorizer?.function = Function(name: "gate", url: url + "/other")
                }
                #expect(try !Self.isOpen(last))
            }
        }
    }

    @Test(
        "what was verified before a reload is verified again by what is configured when a subscription or request begins"
    )
    func reloadDuringVerification() async throws {
        let refusing = FunctionServer.Answer(body: #"{"isAuthorized":false}"#)
        try await FunctionServer.with(nil) { slow, slowURL in
            try await FunctionServer.with(refusing) { other, otherURL in
                try await TestServer.with(schema: Self.schema) {
                    $0.authModes = [.apiKey, .lambda]
                    $0.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: slowURL))
                } _: { server in
                    let socket = try WebSocketClient(port: server.port).acknowledged()
                    try socket.send(Self.start(["Authorization": "token"]))
                    let client = try server.connect()
                    let headers = ["authorization": "another", "content-type": "application/json"]
                    let body = Client.envelope("{ __typename }")
                    try client.send(Client.request("POST", "/graphql", headers: headers, body: body))
                    try await eventually { slow.heldCount == 2 }
                    try await Self.reload(server) {
                        $0.auth.authorizer?.function = Function(name: "gate", url: otherURL)
                    }
                    slow.release(.init(body: #"{"isAuthorized":true}"#))
                    #expect(try socket.receive() == Self.denied)
                    #expect(try client.receive().status == 401)
                    #expect(other.calls.count == 2)
                }
            }
        }
    }

    /// An authorizer that accepts every token, after a reload.
    private final class ReloadingAuthorizer: Responder {
        let callCount = Atomic(0)
        let reload = Mutex<(@Sendable (_ count: Int) async -> Void)?>(nil)
        /// A thread of its own: other tests may block those of tasks for longer than a verification may take.
        let executor = OperationExecutor(threadCount: 1)

        func respond(to request: Request, on loop: EventLoop, reply: Reply) {
            let count = callCount.add(1, ordering: .relaxed).newValue
            let reload = self.reload.withLock { $0 }
            Task(executorPreference: executor) {
                await reload?(count)
                reply.send(Response(status: 200, body: Array(#"{"isAuthorized":true}"#.utf8)))
            }
        }
    }

    @Test("where each verification meets a reload, the client is asked to try again after the fourth")
    func reloadDuringEachVerification() async throws {
        let authorizer = ReloadingAuthorizer()
        defer { authorizer.executor.end() }
        let functions = HTTPServer(responder: authorizer)
        let url = "http://127.0.0.1:\(try functions.listen(host: "127.0.0.1", port: 0))/"
        try await TestServer.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .lambda]
            $0.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
        } _: { server in
            authorizer.reload.withLock {
                $0 = { count in try? await Self.reload(server) { $0.auth.authorizer?.seconds = count } }
            }
            let headers = ["authorization": "token", "content-type": "application/json"]
            let answer = try server.connect().ask(headers: headers, body: Client.envelope("{ __typename }"))
            #expect(answer.status == 503 && answer.body.contains("The service is busy. Try again."), "\(answer)")
            let service = server.service
            for (services, loop) in zip(service.loopServices, service.server.loops) {
                await withCheckedContinuation { continuation in
                    loop.execute {
                        var attempt: ConfiguredCredentials?
                        var outcomes: [Bool] = []
                        for _ in 0..<ConfiguredCredentials.verificationsMax {
                            attempt = services.servedAPI.map {
                                ConfiguredCredentials($0, service.state, after: attempt)
                            }
                            outcomes.append(attempt?.mayVerifyAgain ?? false)
                        }
                        #expect(outcomes == [true, true, true, false])
                        continuation.resume()
                    }
                }
            }
            let count = authorizer.callCount.load(ordering: .relaxed)
            // Fewer where reloads take so long that the time is over before.
            #expect((1...ConfiguredCredentials.verificationsMax).contains(count))
            let socket = try WebSocketClient(port: server.port).acknowledged()
            let reply = try socket.ask(Self.start(["Authorization": "other"]))
            #expect(reply.contains("LimitExceededError"), "\(reply)")
            let others = authorizer.callCount.load(ordering: .relaxed) - count
            #expect((1...ConfiguredCredentials.verificationsMax).contains(others))
            authorizer.reload.withLock { $0 = nil }
            // The last reload may still be under way.
            try await eventually {
                let last = try server.connect().ask(headers: headers, body: Client.envelope("{ __typename }"))
                if last.status != 200 { #expect(last.status == 503, "\(last)") }
                return last.status == 200
            }
        }
        await functions.shutdown(drainSeconds: 0)
    }

    @Test("where revoked tokens are accepted, one that is no longer cached begins a subscription that a reload can end")
    func evictedToken() async throws {
        try await ModesStage.with(schema: Self.schema, modes: [.apiKey, .userPools]) {
            $0.compatibility.acceptsRevokedTokens = true
        } _: { stage in
            let server = stage.server
            let service = try #require(server.service.state.userPools.withLock { $0 })
            let token = try stage.headers(.ana, signing: "")
            let socket = try WebSocketClient(port: server.port).acknowledged()
            let (verifier, loops) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            #expect(service.runVerification(for: "blocker") { _ in Self.wait(for: verifier) })
            try socket.send(Self.start(token))
            #expect(try socket.ask(WebSocketClient.stop("none")) == WebSocketClient.completion("none"))
            for loop in server.service.server.loops { loop.execute { Self.wait(for: loops) } }
            verifier.signal()
            await withCheckedContinuation { continuation in
                #expect(service.runVerification(for: "last") { _ in continuation.resume() })
            }
            service.tokenCache.forget(.pool("us-east-1_One"))
            for _ in server.service.server.loops { loops.signal() }
            #expect(try socket.receive() == WebSocketClient.acknowledgement("s"))
            try await Self.reload(server) { $0.userPoolProviders = [UserPoolProvider(poolID: "us-east-1_Other")] }
            #expect(try !Self.isOpen(socket))
        }
    }

    @Test("a signature that was verified by a secret is verified again if access keys were replaced meanwhile")
    func replacedKeys() async throws {
        let key = AccessKey(id: "AKIAEXAMPLE", secret: "secret")
        try await TestServer.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .iam]
            $0.userPools.accessKeys = [key]
        } _: { server in
            let service = try #require(server.service.state.userPools.withLock { $0 })
            let socket = try WebSocketClient(port: server.port).acknowledged()
            // The verifier, which is one thread, waits until the loops wait.
            let (verifier, loops) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            #expect(service.runVerification(for: "blocker") { _ in Self.wait(for: verifier) })
            try socket.send(Self.start(try Self.signed(by: key)))
            #expect(try socket.ask(WebSocketClient.stop("none")) == WebSocketClient.completion("none"))
            for loop in server.service.server.loops { loop.execute { Self.wait(for: loops) } }
            verifier.signal()
            await withCheckedContinuation { continuation in
                #expect(service.runVerification(for: "last") { _ in continuation.resume() })
            }
            // The signature was verified, and the loop has not received it.
            var configuration = server.configuration
            configuration.userPools.accessKeys[0].secret = "other"
            try await server.service.reloadServices(configuration, server.service.summary)
            for _ in server.service.server.loops { loops.signal() }
            #expect(try socket.receive() == Self.denied)
        }
    }

    private static func wait(for semaphore: DispatchSemaphore) { _ = semaphore.wait(timeout: .now() + 20) }

    @Test("a reload without a mode ends what its callers began: signed requests and tokens of an authorizer")
    func modes() async throws {
        let key = AccessKey(id: "AKIAEXAMPLE", secret: "secret")
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { _, url in
            try await TestServer.with(schema: Self.schema) {
                $0.authModes = [.apiKey, .iam, .lambda]
                $0.userPools.accessKeys = [key]
                $0.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
            } _: { server in
                let body = JSONValue.object(["query": .string(Self.query)]).description
                let signed = try Self.signed(body, key)
                let sockets = [
                    try Self.subscriber(server.port, signed),
                    try Self.subscriber(server.port, ["Authorization": "token"]),
                    try Self.subscriber(server.port, ["x-api-key": TestServer.key]),
                ]
                try await Self.reload(server) { _ in }
                #expect(try sockets.map(Self.isOpen) == [true, true, true])
                try await Self.reload(server) { $0.authModes = [.apiKey, .iam] }
                #expect(try sockets.map(Self.isOpen) == [true, false, true])
                try await Self.reload(server) { $0.authModes = [.apiKey] }
                #expect(try [sockets[0], sockets[2]].map(Self.isOpen) == [false, true])
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
        var mapped: [T] = []
        for element in self { mapped.append(try await transform(element)) }
        return mapped
    }
}
