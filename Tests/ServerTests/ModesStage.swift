import AWSSignature
import Encodings
import Foundation
import HTTP
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server
@testable import UserPools

private typealias PoolCaller = Caller

/// A server of an API with all five modes, and the credentials of a caller of each.
struct ModesStage {
    /// Who asks.
    enum Caller: CaseIterable {
        case apiKey
        /// A user of the pool, by an access token, and by an id token.
        case ana, anaByID
        /// Another user of the pool, who is in the group `admin`.
        case admin
        case openID
        /// Whom the function accepts, and for whom it denies a field.
        case lambda, limitedLambda
        /// Identities of the identity pool, signed in and not.
        case member, guest
        /// The owners of access keys, one with an admin role.
        case signer, tools
    }

    let server: TestServer
    let client: Client
    let issuer: IssuerServer
    let functions: Functions
    let pools: UserPools
    /// The clock of the server, in milliseconds.
    let clock: ManualClock
    private let tokens: [Caller: String]
    private let temporary: [Caller: TemporaryCredentials]

    static let signerKey = AccessKey(id: "AKIASIGNER", secret: "secret/of+the+signer")
    static let toolsKey = AccessKey(id: "AKIATOOLS", secret: "secret/of+the+tools")
    static let lambdaToken = "a-token-of-the-function"

    /// A clock that a test moves; it begins with the time of day.
    final class ManualClock: Sendable {
        private let time = Mutex<Int64>(WallClock.system.milliseconds())
        var milliseconds: Int64 { time.withLock { $0 } }
        func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }
    }

    /// The authorizer of the mode AWS_LAMBDA, and a function that answers fields with an item.
    final class Functions: Responder {
        func respond(to request: Request, on loop: EventLoop, reply: Reply) {
            let event = unsafe request.withBody { try? unsafe JSONReader.read($0) } ?? .null
            let body: JSONValue
            if request.path == "/gate" {
                switch event["authorizationToken"]?.stringValue {
                case ModesStage.lambdaToken: body = ["isAuthorized": true]
                case "limited": body = ["isAuthorized": true, "deniedFields": ["Query.todo"]]
                case "limitedDeals":
                    body = ["isAuthorized": true, "deniedFields": ["Mutation.createDeal", "Deal.v"]]
                default: body = ["isAuthorized": false]
                }
            } else {
                body = ["id": "1", "name": "first", "secret": "sesame"]
            }
            reply.send(Response(status: 200, body: Array(body.description.utf8)))
        }
    }

    /// - Parameter schema: May call the function `todo`.
    static func with(
        schema: String, modes: [TransformOptions.AuthMode] = [.apiKey, .userPools, .iam, .oidc, .lambda],
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (ModesStage) async throws -> Void
    ) async throws {
        let functions = Functions()
        let functionServer = HTTPServer(responder: functions)
        let port = try functionServer.listen(host: "127.0.0.1", port: 0)
        let clock = ManualClock()
        do {
            try await IssuerServer.with { issuer in
                try await TestServer.with(schema: schema, clock: WallClock { clock.milliseconds }) { configuration in
                    configuration.authModes = modes
                    configuration.userPools.pools = [
                        ["id": "us-east-1_One", "name": "one", "clients": [["id": "iosapp"], ["id": "webapp"]]]
                    ]
                    configuration.userPools.accessKeys = [signerKey, toolsKey]
                    configuration.transform.adminRoles = ["user/\(toolsKey.id)"]
                    configuration.functions = FunctionList([
                        Function(name: "todo", url: "http://127.0.0.1:\(port)/todo")
                    ])
                    if modes.contains(.oidc) {
                        configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: issuer.url)]
                    }
                    if modes.contains(.lambda) {
                        configuration.auth.authorizer = LambdaAuthorizer(
                            function: Function(name: "gate", url: "http://127.0.0.1:\(port)/gate"))
                    }
                    change(&configuration)
                } _: { server in
                    let stage = try await ModesStage(server, issuer, functions, clock)
                    try await body(stage)
                }
            }
        } catch {
            await functionServer.shutdown(drainSeconds: 0)
            throw error
        }
        await functionServer.shutdown(drainSeconds: 0)
    }

    private init(_ server: TestServer, _ issuer: IssuerServer, _ functions: Functions, _ clock: ManualClock)
        async throws
    {
        (self.server, self.issuer, self.functions, self.clock) = (server, issuer, functions, clock)
        client = try server.connect()
        let pools = try #require(server.service.state.userPools.withLock { $0 }).pools
        self.pools = pools
        _ = try await Self.perform(pools, "CreateGroup", ["UserPoolId": "us-east-1_One", "GroupName": "admin"])
        let ana = try await Self.tokens(pools, "ana")
        let admin = try await Self.tokens(pools, "admin", in: "admin")
        tokens = [
            .ana: ana.access, .anaByID: ana.id, .admin: admin.access, .lambda: Self.lambdaToken,
            .limitedLambda: "limited", .openID: issuer.token(Self.claims(of: issuer, at: clock)),
        ]
        func credentials(isAuthenticated: Bool, role: String) -> TemporaryCredentials {
            let identity = TemporaryIdentity(
                poolID: "us-east-1:p", identityID: "us-east-1:i", isAuthenticated: isAuthenticated,
                role: "arn:aws:iam::000000000000:role/\(role)", userPoolID: nil, sub: nil,
                expires: clock.milliseconds + 3_600_000)
            return TemporaryCredentials(identity, by: pools.sealer, pools.randomness)
        }
        temporary = [
            // Whatever its role is called, an identity of the pool is no admin.
            .member: credentials(isAuthenticated: true, role: "user/\(Self.toolsKey.id)"),
            .guest: credentials(isAuthenticated: false, role: "unauth"),
        ]
    }

    /// The claims of a valid token of the issuer.
    static func claims(of issuer: IssuerServer, at clock: ManualClock) -> JSONObject {
        [
            "iss": .string(issuer.url), "sub": "o1", "aud": "app",
            "exp": .number("\(clock.milliseconds / 1_000 + 3_600)"),
        ]
    }

    static func perform(_ pools: UserPools, _ operation: String, _ body: JSONObject) async throws -> JSONObject {
        let caller = PoolCaller(address: "127.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "")
        return try await pools.performForOperator(operation, body, from: caller).get()
    }

    /// The tokens of a new user without a password.
    private static func tokens(_ pools: UserPools, _ name: String, in group: String? = nil) async throws
        -> UserPoolTests.AcceptedTokens.UserTokens
    {
        let settings = try #require(pools.directory.pool("us-east-1_One"))
        _ = try await pools.makeUser(named: name, [], password: nil, status: .confirmed, in: settings)
        let user: JSONObject = ["UserPoolId": "us-east-1_One", "Username": .string(name)]
        if let group {
            var body = user
            body["GroupName"] = .string(group)
            _ = try await perform(pools, "AdminAddUserToGroup", body)
        }
        var body = user
        body["ClientId"] = "iosapp"
        return try UserPoolTests.AcceptedTokens.UserTokens(try await perform(pools, "MintToken", body))
    }

    // MARK: - Requests

    /// The credentials of a caller for a request with this body.
    ///
    /// - Parameter host: What a signature is about.
    func headers(
        _ caller: Caller, signing body: String, path: String = "/graphql", host: String = "localhost"
    ) throws -> [String: String] {
        switch caller {
        case .apiKey: return ["x-api-key": TestServer.key]
        case .signer, .tools:
            let key = caller == .tools ? Self.toolsKey : Self.signerKey
            return try signed(body, path: path, host: host, id: key.id, secret: key.secret, session: nil)
        case .member, .guest:
            let credentials = try #require(temporary[caller])
            return try signed(
                body, path: path, host: host, id: credentials.accessKeyID, secret: credentials.secretKey,
                session: credentials.sessionToken)
        default: return ["authorization": try #require(tokens[caller])]
        }
    }

    private func signed(
        _ body: String, path: String, host: String, id: String, secret: String, session: String?
    ) throws -> [String: String] {
        var request = SignedRequest(
            method: "POST", path: path, headers: [("host", host), ("content-type", "application/json")],
            bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
        try RequestSigner(
            accessKeyID: id, secret: secret, sessionToken: session, region: "us-east-1", service: "appsync"
        )
        .sign(&request, now: clock.milliseconds / 1_000)
        let headers = request.headers.map { ($0.name.lowercased(), $0.value) }
        return Dictionary(headers.filter { $0.0 != "host" }, uniquingKeysWith: { $1 })
    }

    /// The answer to a query.
    func ask(_ caller: Caller, _ query: String) throws -> Client.Answer {
        let body = Client.envelope(query)
        return try ask(headers: try headers(caller, signing: body), body: body)
    }

    /// The body of the answer to a query.
    func text(_ caller: Caller, _ query: String) throws -> String { try ask(caller, query).body }

    func ask(headers: [String: String], body: String) throws -> Client.Answer {
        try client.ask(headers: headers.merging(["content-type": "application/json"]) { $1 }, body: body)
    }

    // MARK: - The realtime channel

    /// An open connection of AppSync's protocol.
    func socket(_ caller: Caller) throws -> WebSocketClient {
        let headers = try headers(caller, signing: "{}", path: "/graphql/connect")
        let carrier = Base64.encodeURL(Array(Self.object(headers).description.utf8))
        return try WebSocketClient(
            port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws, header-\(carrier)"]
        ).acknowledged()
    }

    /// The answer to a `start`.
    func start(_ id: String, _ query: String, as caller: Caller, on socket: WebSocketClient) throws -> String {
        let data = Self.data(query)
        return try socket.ask(Self.start(id, data, try headers(caller, signing: data)))
    }

    static func data(_ query: String) -> String { #"{"query":\#(JSONValue.string(query)),"variables":{}}"# }

    static func start(_ id: String, _ data: String, _ headers: [String: String]) -> String {
        #"{"id":"\#(id)","type":"start","payload":{"data":\#(JSONValue.string(data)),"extensions":"#
            + #"{"authorization":\#(object(headers))}}}"#
    }

    private static func object(_ headers: [String: String]) -> JSONValue {
        .object(JSONObject([("host", "localhost")] + headers.map { ($0.key, .string($0.value)) }))
    }
}
