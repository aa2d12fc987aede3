import AWSSignature
import Foundation
import HTTP
import JSON
import Testing
import UserPools

@testable import Server

/// One after the other: a password costs a debug build a second, in which it would keep both threads of a small machine from
/// the other tests, some of which have deadlines.
@Suite("Sign-in over sockets", .serialized)
struct UserPoolTests {
    static let schema = """
        type Note @model @auth(rules: [{allow: private}]) { id: ID! text: String }
        type Subscription { onNote: Note @aws_subscribe(mutations: ["createNote"]) @aws_cognito_user_pools }
        """
    private static let key = ("AKIAEXAMPLEKEY000001", "secretEXAMPLE+/key")

    private static func with(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: schema,
            {
                $0.userPools.accessKeys = [.init(id: key.0, secret: key.1)]
                change(&$0)
            }, body)
    }

    /// Calls an operation.
    private static func call(
        _ client: Client, _ operation: String, _ body: JSONValue, service: String = "AWSCognitoIdentityProviderService",
        signedFor signed: String? = nil, secret: String = key.1
    ) throws -> (status: Int, value: JSONValue) {
        let text = body.description
        var headers = [("host", "localhost"), ("x-amz-target", "\(service).\(operation)")]
        if let signed {
            var request = SignedRequest(
                method: "POST", path: "/", headers: headers, bodyHash: SignedRequest.bodyHash(of: Array(text.utf8)))
            let signer = RequestSigner(accessKeyID: key.0, secret: secret, region: "us-east-1", service: signed)
            try signer.sign(&request, now: Int64(Date().timeIntervalSince1970))
            headers = request.headers
        }
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        try client.send("POST / HTTP/1.1\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        let answer = try client.receive()
        return (answer.status, try JSONReader.read(answer.body))
    }

    /// The tokens of a new user, and the pool's client.
    private static func signIn(_ client: Client, _ name: String) throws -> (
        access: String, refresh: String, app: String
    ) {
        let pools = try call(client, "ListUserPools", ["MaxResults": 1], signedFor: "cognito-idp").value
        let pool = try #require(pools["UserPools"]?.arrayValue?.first?["Id"])
        let clients = try call(client, "ListUserPoolClients", ["UserPoolId": pool], signedFor: "cognito-idp").value
        let app = try #require(clients["UserPoolClients"]?.arrayValue?.first?["ClientId"]?.stringValue)
        _ = try call(
            client, "AdminCreateUser",
            ["UserPoolId": pool, "Username": .string(name), "MessageAction": "SUPPRESS"], signedFor: "cognito-idp")
        _ = try call(
            client, "AdminSetUserPassword",
            ["UserPoolId": pool, "Username": .string(name), "Password": "Passw0rd!", "Permanent": true],
            signedFor: "cognito-idp")
        let output = try call(
            client, "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": .string(app),
                "AuthParameters": ["USERNAME": .string(name), "PASSWORD": "Passw0rd!"],
            ]
        ).value
        let result = try #require(output["AuthenticationResult"], "\(output)")
        return (
            try #require(result["AccessToken"]?.stringValue), try #require(result["RefreshToken"]?.stringValue), app
        )
    }

    private static func graphql(_ client: Client, _ query: String, _ headers: [String: String]) throws -> Client.Answer
    {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return try client.ask(headers: headers, body: Client.envelope(query))
    }

    @Test("clear-data deletes the items of models, and no users and sessions")
    func clearData() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let tokens = try Self.signIn(client, "jane")
            let authorization = ["authorization": tokens.access]
            _ = try Self.graphql(client, #"mutation { createNote(input: {text: "x"}) { id } }"#, authorization)
            let cleared = try client.ask("DELETE", "/clear-data", headers: ["Host": "localhost"])
            #expect(cleared.status == 200)
            let user = try Self.call(client, "GetUser", ["AccessToken": .string(tokens.access)])
            #expect(user.value["Username"] == "jane")
            let notes = try Self.graphql(client, "{ listNotes { items { id } } }", authorization)
            #expect(notes.body == #"{"data":{"listNotes":{"items":[]}}}"#)
        }
    }

    @Test("the join model of private models is private")
    func joinModel() async throws {
        let schema = """
            type Post @model @auth(rules: [{allow: private}]) { id: ID! tags: [Tag] @manyToMany(relationName: "PostTags") }
            type Tag @model @auth(rules: [{allow: private}]) { id: ID! posts: [Post] @manyToMany(relationName: "PostTags") }
            """
        try await TestServer.with(
            schema: schema, { $0.userPools.accessKeys = [.init(id: Self.key.0, secret: Self.key.1)] }
        ) { server in
            let client = try server.connect()
            let tokens = try Self.signIn(client, "jane")
            for query in [
                "{ listPostTags { items { id } } }",
                #"mutation { createPostTags(input: {postId: "p", tagId: "t"}) { id } }"#,
            ] {
                let refused = try Self.graphql(client, query, ["x-api-key": TestServer.key])
                #expect(refused.body.contains("Unauthorized"), "\(refused.body)")
                let answer = try Self.graphql(client, query, ["authorization": tokens.access])
                #expect(!answer.body.contains("errors"), "\(answer.body)")
            }
        }
    }

    @Test("an access key signs for the services that it was given, and for no other")
    func services() async throws {
        try await Self.with({
            $0.userPools.accessKeys = [.init(id: Self.key.0, secret: Self.key.1, services: ["cognito-identity"])]
        }) { server in
            let client = try server.connect()
            for signed in ["cognito-idp", "cognito-identity"] {
                let refused = try Self.call(client, "ListUserPools", ["MaxResults": 1], signedFor: signed)
                #expect(refused.status == 400 && refused.value["__type"] == "UnrecognizedClientException")
            }
            let pools = try Self.call(
                client, "ListIdentityPools", ["MaxResults": 1], service: "AWSCognitoIdentityService",
                signedFor: "cognito-identity")
            #expect(pools.status == 200)
        }
    }

    @Test("an access key does what its role allows, and the audit log has its id and its role")
    func roles() async throws {
        try await Self.with({
            $0.userPools.accessKeys = [.init(id: Self.key.0, secret: Self.key.1, role: .editor)]
        }) { server in
            let client = try server.connect()
            let pools = try Self.call(client, "ListUserPools", ["MaxResults": 1], signedFor: "cognito-idp")
            let id = try #require(pools.value["UserPools"]?.arrayValue?.first?["Id"])
            let refused = try Self.call(client, "CreateUserPool", ["PoolName": "p"], signedFor: "cognito-idp")
            #expect(refused.status == 400 && refused.value["__type"] == "AccessDeniedException", "\(refused.value)")
            let made = try Self.call(
                client, "AdminCreateUser", ["UserPoolId": id, "Username": "role-ada"], signedFor: "cognito-idp")
            #expect(made.status == 200, "\(made.value)")
        }
    }

    @Test("a signature in the query, which may be valid for a week, signs no operation")
    func presigned() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let target = ("X-Amz-Target", "AWSCognitoIdentityProviderService.ListUserPools")
            let form = "Action=GetCallerIdentity&Version=2011-06-15"
            for (service, headers, body, error) in [
                ("cognito-idp", [target], #"{"MaxResults":1}"#, "UnrecognizedClientException"),
                ("sts", [], form, "InvalidClientTokenId"),
            ] {
                var request = SignedRequest(
                    method: "POST", path: "/", headers: [("Host", "localhost")] + headers,
                    bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
                try RequestSigner(accessKeyID: Self.key.0, secret: Self.key.1, region: "us-east-1", service: service)
                    .presign(&request, now: Int64(Date().timeIntervalSince1970), expiresSeconds: 604_800)
                let fields = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
                let answer = try client.ask("POST", "/?\(request.query)", headers: fields, body: body)
                #expect(answer.status >= 400 && answer.body.contains(error), "\(answer.body)")
            }
        }
    }

    @Test("the owner of an access key is known by its configured ARN, in refusals and to GetCallerIdentity")
    func ownerARN() async throws {
        let arn = "arn:aws:iam::123456789012:user/reports"
        try await Self.with({
            var key = AccessKey(id: Self.key.0, secret: Self.key.1, role: .viewer)
            key.ownerARN = arn
            $0.userPools.accessKeys = [key, .init(id: "AKIAPLAIN", secret: "secret")]
        }) { server in
            let client = try server.connect()
            let refused = try Self.call(
                client, "AdminCreateUser", ["UserPoolId": "us-east-1_x", "Username": "ada"], signedFor: "cognito-idp")
            #expect(refused.value["__type"] == "AccessDeniedException")
            #expect(
                refused.value["message"]?.stringValue?.hasPrefix(
                    "User: \(arn) is not authorized to perform: cognito-idp:AdminCreateUser on resource: ") == true,
                "\(refused.value)")
            let body = "Action=GetCallerIdentity&Version=2011-06-15"
            for (id, secret, arn, account) in [
                (Self.key.0, Self.key.1, arn, "123456789012"),
                ("AKIAPLAIN", "secret", "arn:aws:iam::000000000000:user/AKIAPLAIN", "000000000000"),
            ] {
                var request = SignedRequest(
                    method: "POST", path: "/", headers: [("Host", "localhost")],
                    bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
                try RequestSigner(accessKeyID: id, secret: secret, region: "us-east-1", service: "sts")
                    .sign(&request, now: Int64(Date().timeIntervalSince1970))
                let headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
                let answer = try client.ask("POST", "/", headers: headers, body: body)
                #expect(
                    answer.body.contains("<Arn>\(arn)</Arn><UserId>\(id)</UserId><Account>\(account)</Account>"),
                    "\(answer.body)")
            }
        }
    }

    @Test("one network's operations, which wait for a function, leave places to tokens and to other networks")
    func places() async throws {
        let confirmed = FunctionServer.Answer(body: #"{"response": {"autoConfirmUser": true}}"#)
        try await FunctionServer.with(confirmed) { function, url in
            try await Self.with({
                $0.limits.userPools.operationsMax = 4
                $0.userPools.pools = [
                    [
                        "name": "slow", "lambdaConfig": ["preSignUp": .string(url)],
                        "clients": [
                            [
                                "name": "app",
                                "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
                            ]
                        ],
                    ]
                ]
            }) { server in
                let client = try server.connect()
                let tokens = try Self.signIn(client, "jane")
                function.hold()
                func signUp(_ client: Client, _ name: String) throws {
                    let body: JSONValue = [
                        "ClientId": .string(tokens.app), "Username": .string(name), "Password": "Passw0rd!",
                    ]
                    let text = body.description
                    try client.send(
                        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.SignUp\r\n"
                            + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
                }
                let waiting = [try server.connect(), try server.connect()]
                for (number, client) in waiting.enumerated() { try signUp(client, "held\(number)") }
                try await eventually { function.heldCount == 2 }
                let refused = try Self.call(
                    client, "SignUp",
                    ["ClientId": .string(tokens.app), "Username": "third", "Password": "Passw0rd!"])
                #expect(refused.value["__type"] == "TooManyRequestsException")
                let answer = try Self.graphql(
                    client, "{ listNotes { items { id } } }", ["authorization": tokens.access])
                #expect(answer.status == 200)
                function.release(confirmed)
                for client in waiting { #expect(try client.receive().status == 200) }
            }
        }
    }

    @Test("operations of the administration need a right signature for their service")
    func signatures() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let body: JSONValue = ["MaxResults": 1]
            #expect(try Self.call(client, "ListUserPools", body, signedFor: "cognito-idp").status == 200)
            for (signed, secret) in [(nil, Self.key.1), ("s3", Self.key.1), ("cognito-idp", "wrong")] {
                let answer = try Self.call(client, "ListUserPools", body, signedFor: signed, secret: secret)
                #expect(answer.status == 400)
                #expect(answer.value["__type"] == "UnrecognizedClientException")
            }
            // What everybody may call is served with any signature.
            let open = try Self.call(client, "InitiateAuth", [:], signedFor: "cognito-idp", secret: "wrong")
            #expect(open.value["__type"] == "InvalidParameterException")
            try client.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.GetUser\r\n"
                    + "Content-Length: 1\r\n\r\n{")
            let broken = try client.receive()
            #expect(broken["x-amzn-errortype"] == ["SerializationException:"])
        }
    }

    @Test("a model for signed-in users takes the pool's tokens, and none of a session that was revoked")
    func graphQL() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let tokens = try Self.signIn(client, "jane")
            let query = "mutation { createNote(input: {id: \"1\", text: \"hello\"}) { id } }"
            for header in [tokens.access, "Bearer \(tokens.access)"] {
                let answer = try Self.graphql(client, "{ listNotes { items { id } } }", ["Authorization": header])
                #expect(answer.status == 200)
            }
            let made = try Self.graphql(client, query, ["Authorization": tokens.access])
            #expect(made.body == #"{"data":{"createNote":{"id":"1"}}}"#)
            let byKey = try Self.graphql(client, "{ getNote(id: \"1\") { id } }", ["x-api-key": TestServer.key])
            #expect(byKey.body.contains("Unauthorized"))
            _ = try Self.call(
                client, "RevokeToken", ["Token": .string(tokens.refresh), "ClientId": .string(tokens.app)])
            let refused = try Self.graphql(client, "{ getNote(id: \"1\") { id } }", ["Authorization": tokens.access])
            #expect(refused.status == 401)
            #expect(try Self.graphql(client, "{ __typename }", ["Authorization": "a.b.c"]).status == 401)
        }
    }

    @Test("revoked tokens are accepted until they expire where AppSync is copied")
    func revokedUntilExpiry() async throws {
        try await Self.with {
            $0.compatibility.acceptsRevokedTokens = true
        } _: { server in
            let client = try server.connect()
            let tokens = try Self.signIn(client, "jane")
            _ = try Self.call(
                client, "RevokeToken", ["Token": .string(tokens.refresh), "ClientId": .string(tokens.app)])
            let answer = try Self.graphql(client, "{ listNotes { items { id } } }", ["Authorization": tokens.access])
            #expect(answer.status == 200)
        }
    }

    @Test("a subscription ends when its session does, and those of others go on")
    func subscriptions() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let one = try Self.signIn(client, "one")
            let two = try Self.signIn(client, "two")
            func start(_ token: String) throws -> WebSocketClient {
                let socket = try WebSocketClient(port: server.port)
                    .acknowledged()
                let data = #"{\"query\":\"subscription { onNote { id } }\"}"#
                let message =
                    #"{"id":"s","type":"start","payload":{"data":"\#(data)","extensions":{"authorization":{"host":"localhost","Authorization":"\#(token)"}}}}"#
                #expect(try socket.ask(message) == WebSocketClient.acknowledgement("s"))
                return socket
            }
            let (first, second) = (try start(one.access), try start(two.access))
            _ = try Self.call(client, "GlobalSignOut", ["AccessToken": .string(one.access)])
            let ended = try first.receive()
            #expect(ended.contains("UnauthorizedException") && ended.contains(#""type":"error""#), "\(ended)")
            _ = try Self.graphql(
                client, "mutation { createNote(input: {id: \"2\"}) { id } }", ["Authorization": two.access])
            #expect(try second.receive().contains(#""id":"2""#))
        }
    }

    @Test("the discovery document, the keys and the hosted pages are served; a strange client gets no redirect")
    func pages() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let tokens = try Self.signIn(client, "jane")
            let pools = try Self.call(client, "ListUserPools", ["MaxResults": 1], signedFor: "cognito-idp").value
            let pool = try #require(pools["UserPools"]?.arrayValue?.first?["Id"]?.stringValue)
            func get(_ target: String) throws -> Client.Answer {
                try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try client.receive()
            }
            let document = try JSONReader.read(try get("/\(pool)/.well-known/openid-configuration").body)
            #expect(document["issuer"] == .string("http://127.0.0.1:\(server.port)/\(pool)"))
            let keys = try JSONReader.read(try get("/\(pool)/.well-known/jwks.json").body)
            #expect(keys["keys"]?.arrayValue?.count == 2)
            #expect(try get("/none/.well-known/jwks.json").status == 404)
            let query =
                "client_id=\(tokens.app)&response_type=code&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2F&state=x"
            let authorize = try get("/oauth2/authorize?\(query)")
            #expect(authorize.status == 302)
            #expect(authorize["location"].first?.hasPrefix("/login?") == true)
            let login = try get("/login?\(query)")
            #expect(login.body.contains("<h1>Sign in</h1>"))
            #expect(login["content-security-policy"].first?.contains("default-src 'none'") == true)
            for bad in ["client_id=none", "client_id=\(tokens.app)&redirect_uri=https%3A%2F%2Fevil.example"] {
                let answer = try get("/oauth2/authorize?\(bad)")
                #expect(answer.status == 400)
                #expect(answer["location"].isEmpty)
            }
            // A browser sends the form of a page without referrer from no origin, and a phone comes by an address.
            for origin in ["null", "http://192.168.1.5:20002"] {
                let form = try client.ask(
                    "POST", "/login?\(query)",
                    headers: [
                        "Host": "192.168.1.5:20002", "Origin": origin,
                        "Content-Type": "application/x-www-form-urlencoded",
                    ], body: "username=jane&password=x")
                #expect(form.status == 200 && form.body.contains("The form was too old."))
            }
            let script = try get("/login?\(query)&login_hint=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
            #expect(!script.body.contains("<script>"))
        }
    }

    @Test("serve has user pools only if told, and refuses rules for their users without")
    func serve() async throws {
        await #expect(throws: ServerError.self) {
            try await TestServer.with(schema: Self.schema, mode: .serve) { _ in }
        }
        try await TestServer.with(mode: .serve) { server in
            let client = try server.connect()
            try client.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.GetUser\r\n"
                    + "Content-Length: 2\r\n\r\n{}")
            #expect(try client.receive().status == 404)
        }
    }
}
