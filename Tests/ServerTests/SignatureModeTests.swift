import API
import AWSSignature
import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server
@testable import UserPools

@Suite("Signed requests")
struct SignatureModeTests {
    private static let key = AccessKey(id: "AKIAEXAMPLE", secret: "secretEXAMPLE/+")
    private static let schema = """
        type Note @model @auth(rules: [{allow: private, provider: iam}]) { id: ID! text: String }
        """
    private static let query = Client.envelope("{ listNotes { items { id } } }")

    /// A request for AppSync, signed at a time.
    private static func signed(
        _ body: String = query, path: String = "/graphql", host: String = "localhost", service: String = "appsync",
        key: AccessKey = key, session: String? = nil, at now: Int64 = Int64(Date().timeIntervalSince1970),
        adding more: [(name: String, value: String)] = []
    ) throws -> [String: String] {
        var request = SignedRequest(
            method: "POST", path: path, headers: [("host", host), ("content-type", "application/json")] + more,
            bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
        try RequestSigner(
            accessKeyID: key.id, secret: key.secret, sessionToken: session, region: "us-east-1", service: service
        ).sign(&request, now: now)
        return Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func with(
        clock: WallClock = .system, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: schema, clock: clock,
            {
                $0.authModes = [.iam, .apiKey]
                $0.userPools.accessKeys = [key]
                $0.transform.adminRoles = ["user/AKIAEXAMPLE"]
                change(&$0)
            }, body)
    }

    private static func ask(_ client: Client, _ headers: [String: String], _ body: String = query) throws -> String {
        var headers = headers
        headers["Host"] = headers.removeValue(forKey: "host") ?? "localhost"
        let answer = try client.ask("POST", "/graphql", headers: headers, body: body)
        guard answer.status != 200 else { return answer.body.contains("errors") ? answer.body : "200" }
        let error = try JSONReader.read(Array(answer.body.utf8))["errors"]?.arrayValue?.first
        return "\(answer.status) \(error?["errorType"]?.stringValue ?? "")"
    }

    @Test("The names of admin roles are compared by their bytes")
    func adminRoles() {
        // U+212A, the sign of Kelvin, is for Swift's String the letter K.
        #expect(SignatureMode.isAdmin("arn:aws:iam::000000000000:role/Kiosk", ["role/Kiosk"]))
        #expect(!SignatureMode.isAdmin("arn:aws:iam::000000000000:role/\u{212A}iosk", ["role/Kiosk"]))
    }

    @Test("The signatures of amplify-js and of gql are valid for the requests that they send")
    func vectors() throws {
        let connect = RealtimeAuthorization([
            ("accept", "application/json, text/javascript"), ("content-encoding", "amz-1.0"),
            ("content-type", "application/json; charset=UTF-8"), ("host", "localhost:28900"),
            ("x-amz-date", "20261121T002905Z"), ("X-Amz-Security-Token", "tok"),
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/us-east-1/appsync/aws4_request, "
                    + "SignedHeaders=accept;content-encoding;content-type;host;x-amz-date;x-amz-security-token, "
                    + "Signature=84936e888d9e308ac351fe9630bde431d6d932b83d67cc68284086d338375f4d"
            ),
        ])
        let requests = RealtimeCredentials(authorization: connect).signedRequests()
        try SignatureV4(of: requests[0]).verify(
            secret: "secret", now: 1_795_220_945, expectedService: "appsync", expectedRegion: "us-east-1")
        let body = #"{"query": "{\n  __typename\n}"}"#
        let gql = SignedRequest(
            method: "POST", path: "/graphql",
            headers: [
                ("content-type", "application/json"), ("host", "localhost:28777"), ("x-amz-date", "20261121T003005Z"),
                ("x-amz-security-token", "TOK"),
                (
                    "authorization",
                    "AWS4-HMAC-SHA256 Credential=AK/20261121/us-east-1/appsync/aws4_request, "
                        + "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
                        + "Signature=265f3deae41673c924ffeeea77950bf5321bed90710e9a887c3c1c5682f51c7c"
                ),
            ], bodyHash: SignedRequest.bodyHash(of: Array(body.utf8)))
        try SignatureV4(of: gql.forms()[0]).verify(
            secret: "SK", now: 1_795_221_005, expectedService: "appsync", expectedRegion: "us-east-1")
    }

    @Test("A request is verified with one host of its own and with that of its WebSocket, however many it has")
    func hosts() {
        let own = (0..<96).map { (name: "host", value: "h\($0):80") }
        let credentials = RealtimeCredentials(authorization: RealtimeAuthorization(own), host: "api.example:443")
        let hosts = credentials.signedRequests().map { $0.headers.last?.value }
        #expect(hosts == ["h0:80", "h0", "api.example:443", "api.example"])
    }

    @Test("A signature of a known key is accepted, and each altered, expired or foreign one is refused")
    func checks() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let now = Int64(Date().timeIntervalSince1970)
            let good = try Self.signed()
            func altered(_ name: String, _ from: String, _ to: String) throws -> [String: String] {
                var headers = good
                headers[name] = try #require(headers[name]).replacing(from, with: to)
                return headers
            }
            let (mismatch, unknown) = ("403 InvalidSignatureException", "403 UnrecognizedClientException")
            let incomplete = "400 IncompleteSignatureException"
            let signature = try #require(good["Authorization"]?.split(separator: "=").last.map(String.init))
            let flipped = (signature.hasPrefix("0") ? "1" : "0") + signature.dropFirst()
            let other = AccessKey(id: "AKIAOTHER", secret: Self.key.secret)
            let wrong = AccessKey(id: Self.key.id, secret: "another")
            let signedParts = "SignedHeaders=content-type;host;x-amz-date"
            let rows: [(name: String, headers: [String: String], answer: String)] = [
                ("good", good, "200"), ("again", good, "200"),
                (
                    "host with a port", try Self.signed(host: "localhost:1").merging(["host": "localhost"]) { $1 },
                    mismatch
                ),
                ("region", try altered("Authorization", "us-east-1", "eu-west-1"), mismatch),
                ("service", try Self.signed(service: "cognito-idp"), mismatch),
                ("unknown key", try Self.signed(key: other), unknown),
                ("wrong secret", try Self.signed(key: wrong), mismatch),
                ("session token", try Self.signed(session: "forged"), unknown),
                ("signature", try altered("Authorization", signature, flipped), mismatch),
                ("short signature", try altered("Authorization", signature, "00"), incomplete),
                ("day", try altered("Authorization", good["X-Amz-Date"]!.prefix(8) + "/", "20200101/"), mismatch),
                ("content type", try altered("content-type", "json", "graphql+json"), mismatch),
                ("headers", try altered("Authorization", signedParts, "SignedHeaders=host;x-amz-date"), mismatch),
                ("no host", try altered("Authorization", signedParts, "SignedHeaders=x-amz-date"), incomplete),
                ("old", try Self.signed(at: now - 1_000), mismatch),
                ("future", try Self.signed(at: now + 1_000), mismatch),
                ("no date", good.filter { $0.key != "X-Amz-Date" }, incomplete),
                ("no signature", try altered("Authorization", ", Signature=" + signature, ""), incomplete),
                ("a word", ["Authorization": "AWS4-HMAC-SHA256", "content-type": "application/json"], incomplete),
                ("beside a key", good.merging(["x-api-key": "da2-wrong"]) { $1 }, "200"),
                ("user agent", good.merging(["x-amz-user-agent": "aws-amplify/6"]) { $1 }, "200"),
                ("unsigned header", good.merging(["x-amz-target": "x"]) { $1 }, mismatch),
            ]
            for row in rows { #expect(try Self.ask(client, row.headers) == row.answer, "\(row.name)") }
            #expect(try Self.ask(client, good, Self.query + " ") == mismatch, "body")
        }
    }

    @Test("The host may be signed with its port or without")
    func hosts() async throws {
        try await Self.with { server in
            let client = try server.connect()
            for host in ["localhost", "localhost:\(server.port)"] {
                var headers = try Self.signed(host: host)
                headers["host"] = "localhost:\(server.port)"
                #expect(try Self.ask(client, headers) == "200")
            }
        }
    }

    @Test("A request that is sent again is refused once its time is over")
    func replay() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await Self.with(clock: WallClock { time.withLock { $0 } }) { server in
            let client = try server.connect()
            let headers = try Self.signed(at: time.withLock { $0 } / 1_000)
            #expect(try Self.ask(client, headers) == "200")
            time.withLock { $0 += 901_000 }
            #expect(try Self.ask(client, headers) == "403 InvalidSignatureException")
        }
    }

    @Test("The pattern of a key's resources and its services say which fields it may call")
    func resources() async throws {
        try await Self.with {
            $0.transform.adminRoles = ["role/Admin"]
            $0.transform.enablesIAMAccess = true
            var (reader, cognito, admin) = (Self.key, Self.key, Self.key)
            (reader.id, reader.resources) = ("AKIAREADER", ["Query.getNote"])
            (cognito.id, cognito.services) = ("AKIACOGNITO", ["cognito-idp"])
            (admin.id, admin.resources) = ("AKIAADMIN", ["Query.getNote"])
            admin.ownerARN = "arn:aws:sts::000000000000:assumed-role/Admin/tool"
            $0.userPools.accessKeys = [Self.key, reader, cognito, admin]
        } _: { server in
            let client = try server.connect()
            func ask(_ id: String, _ query: String) throws -> String {
                let body = Client.envelope(query)
                return try Self.ask(
                    client, try Self.signed(body, key: AccessKey(id: id, secret: Self.key.secret)), body)
            }
            let (get, list) = ("{ getNote(id: 1) { id } }", "{ listNotes { items { id } } }")
            #expect(try ask("AKIAEXAMPLE", list) == "200")
            #expect(try ask("AKIAREADER", get) == "200")
            #expect(try ask("AKIAREADER", list) == "401 UnauthorizedException")
            #expect(try ask("AKIACOGNITO", get) == "403 UnrecognizedClientException")
        }
    }

    @Test("A request that is refused as a whole is explained: which field the role's policy lacks")
    func explained() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await Self.with {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            var reader = Self.key
            reader.resources = ["Query.getNote"]
            $0.userPools.accessKeys = [reader]
            $0.transform.adminRoles = []
        } _: { server in
            let client = try server.connect()
            let token = try Operators.create("ada", role: .viewer, of: server.configuration)
            for explains in [true, false] {
                var headers = try Self.signed()
                headers["x-syncline-explain"] = "1"
                if explains { headers["x-syncline-operator"] = token }
                headers["Host"] = "localhost"
                headers["host"] = nil
                let answer = try client.ask("POST", "/graphql", headers: headers, body: Self.query)
                #expect(answer.status == 401 && answer.body.contains("Permission denied"), "\(answer)")
                #expect(
                    answer.body.contains(
                        #"[{"path":"Query.listNotes","subject":"mode","outcome":"denied","#
                            + #""reason":"The policy of the caller's role does not have the field""#) == explains,
                    "\(answer)")
            }
        }
    }

    @Test("Identities of the identity pool come by their temporary credentials, until these end")
    func temporary() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await Self.with(clock: WallClock { time.withLock { $0 } }) { server in
            let client = try server.connect()
            let pools = try #require(server.service.state.userPools.withLock { $0 }).pools
            func credentials(_ isAuthenticated: Bool, role: String, seconds: Int64 = 3_600) -> TemporaryCredentials {
                let identity = TemporaryIdentity(
                    poolID: "us-east-1:p", identityID: "us-east-1:i", isAuthenticated: isAuthenticated,
                    role: "arn:aws:iam::000000000000:role/\(role)", userPoolID: nil, sub: nil,
                    expires: time.withLock { $0 } + seconds * 1_000)
                return TemporaryCredentials(identity, by: pools.sealer, pools.randomness)
            }
            func ask(_ credentials: TemporaryCredentials, session: String? = nil) throws -> String {
                let key = AccessKey(id: credentials.accessKeyID, secret: credentials.secretKey)
                return try Self.ask(
                    client,
                    try Self.signed(
                        key: key, session: session ?? credentials.sessionToken, at: time.withLock { $0 } / 1_000))
            }
            let (user, guest) = (credentials(true, role: "auth"), credentials(false, role: "unauth"))
            #expect(user.identity.userARN == "arn:aws:sts::000000000000:assumed-role/auth/CognitoIdentityCredentials")
            #expect(try ask(user) == "200")
            #expect(try ask(guest) == "401 UnauthorizedException")
            // The session of another, and one that is altered.
            #expect(try ask(user, session: guest.sessionToken) == "403 UnrecognizedClientException")
            #expect(try ask(user, session: user.sessionToken + "A") == "403 UnrecognizedClientException")
            time.withLock { $0 += 3_601_000 }
            #expect(try ask(user) == "403 UnrecognizedClientException")
        }
    }

    @Test("A connection is signed as POST /graphql/connect, and each start as POST /graphql with its data")
    func realtime() async throws {
        try await Self.with {
            $0.transform.enablesIAMAccess = true
        } _: { server in
            func object(_ headers: [String: String], without name: String? = nil) -> JSONValue {
                .object(JSONObject(headers.filter { $0.key != name }.map { ($0.key, .string($0.value)) }))
            }
            func open(_ headers: [String: String]) throws -> WebSocketClient {
                let header = Data(object(headers).description.utf8).base64EncodedString()
                    .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                return try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws, header-\(header)"])
            }
            let socket = try open(try Self.signed("{}", path: "/graphql/connect")).acknowledged()
            let data = #"{"query":"subscription { onCreateNote { id } }","variables":{}}"#
            func start(_ id: String, _ headers: [String: String]) throws -> String {
                let authorization = object(headers.merging(["x-amz-user-agent": "aws-amplify/6"]) { $1 })
                return try socket.ask(
                    #"{"id":"\#(id)","type":"start","payload":{"data":\#(JSONValue.string(data)),"extensions":"#
                        + #"{"authorization":\#(authorization)}}}"#)
            }
            #expect(try start("1", try Self.signed(data)).contains("start_ack"))
            #expect(try start("2", try Self.signed(data + " ")).contains("Permission denied"))
            #expect(try start("3", try Self.signed("{}", path: "/graphql/connect")).contains("Permission denied"))
            let refused = try open(try Self.signed("{}"))
            #expect(try refused.receive().contains(#""errorType":"UnauthorizedException""#))
        }
    }

    @Test("serve does not start with AWS_IAM where nobody could sign")
    func noSigner() async throws {
        let error = await #expect(throws: ServerError.self) {
            try await TestServer.with(mode: .serve) {
                $0.authModes = [.iam]
            } _: { _ in
            }
        }
        #expect(error?.code == .invalid && error?.text.contains("nobody to sign") == true)
    }
}
