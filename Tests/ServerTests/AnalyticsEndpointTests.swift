import AWSSignature
import Foundation
import JSON
import Testing
import Transformer
import UserPools

@testable import Analytics
@testable import Server

@Suite("Events of apps over sockets")
struct AnalyticsEndpointTests {
    private static let key = ("AKIAEXAMPLEKEY000001", "secretEXAMPLE+/key")
    private static let path = "/v1/apps/app-1"
    private static let now = "2026-01-15T12:00:00.000Z"

    private static func with(
        mode: Service.Mode = .dev, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: "type Note @model { id: ID! }", mode: mode,
            {
                $0.userPools.accessKeys = [
                    .init(id: key.0, secret: key.1), .init(id: "AKIAVIEWER", secret: key.1, role: .viewer),
                    .init(id: "AKIAOTHER", secret: key.1, role: .owner, services: ["cognito-idp"]),
                ]
                $0.analytics = options(#"{"analytics": {"appId": "app-1"}}"#)
                change(&$0)
            }, body)
    }

    private static func options(_ text: String) -> AnalyticsOptions {
        var options = AnalyticsOptions()
        guard let file = try? ConfigurationFile(name: "test", bytes: Array(text.utf8)) else { return options }
        options.read(ConfigurationSection(file.value, at: [], of: file, findings: Findings()))
        return options
    }

    private struct Exchange {
        let status: Int
        let type: String?
        let body: JSONValue
    }

    /// Sends a request that is signed as the clients sign it.
    private static func send(
        _ server: TestServer, _ method: String, _ path: String, _ body: JSONValue? = nil,
        by key: (String, String) = key, session: String? = nil, service: String = "mobiletargeting"
    ) throws -> Exchange {
        let text = body?.description ?? ""
        var request = SignedRequest(
            method: method, path: path,
            headers: [("host", "localhost"), ("content-type", "application/json")],
            bodyHash: SignedRequest.bodyHash(of: Array(text.utf8)))
        try RequestSigner(
            accessKeyID: key.0, secret: key.1, sessionToken: session, region: "us-east-1", service: service
        ).sign(&request, now: Int64(Date().timeIntervalSince1970))
        let lines = request.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return try exchange(
            server, "\(method) \(path) HTTP/1.1\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    private static func exchange(_ server: TestServer, _ text: String) throws -> Exchange {
        let client = try server.connect()
        try client.send(text)
        let answer = try client.receive()
        return Exchange(
            status: answer.status, type: answer["x-amzn-errortype"].first,
            body: try JSONReader.read(answer.body))
    }

    private static func events(_ count: Int, endpoint: String = "e1", user: String? = nil) -> JSONValue {
        let members: JSONObject = user.map { ["User": ["UserId": .string($0)]] } ?? [:]
        let events = (0..<count).map { number -> (String, JSONValue) in
            ("id-\(number)", ["EventType": "open", "Timestamp": .string(now), "Attributes": ["color": "red"]])
        }
        return [
            "BatchItem": .object([endpoint: ["Endpoint": .object(members), "Events": .object(JSONObject(events))]])
        ]
    }

    @Test("events signed by an access key are accepted, and endpoints are written, read and deleted")
    func operations() async throws {
        try await Self.with { server in
            let put = try Self.send(server, "POST", "\(Self.path)/events", Self.events(2, user: "jane"))
            #expect(put.status == 202)
            let accepted: JSONValue = ["StatusCode": 202, "Message": "Accepted"]
            #expect(
                put.body == [
                    "Results": [
                        "e1": [
                            "EndpointItemResponse": accepted,
                            "EventsItemResponse": ["id-0": accepted, "id-1": accepted],
                        ]
                    ]
                ])
            // An id with characters that are escaped in the path, which is then signed escaped twice.
            let id = "us-east-1%3A1%2F2%20%C3%A9"
            let updated = try Self.send(
                server, "PUT", "\(Self.path)/endpoints/\(id)", ["Address": "token", "ChannelType": "APNS"])
            #expect(updated.status == 202 && updated.body["Message"] == "Accepted")
            #expect(updated.body["RequestID"]?.stringValue?.count == 36)
            let read = try Self.send(server, "GET", "\(Self.path)/endpoints/\(id)")
            #expect(read.status == 200 && read.body["Id"] == "us-east-1:1/2 é" && read.body["Address"] == "token")
            let messages = try Self.send(server, "GET", "\(Self.path)/endpoints/\(id)/inappmessages")
            #expect(messages.body == ["InAppMessageCampaigns": []])
            let batch = try Self.send(server, "PUT", "\(Self.path)/endpoints", ["Item": [["Id": "b"]]])
            #expect(batch.status == 202 && batch.body["Message"] == "Accepted")
            let user = try Self.send(server, "GET", "\(Self.path)/users/jane")
            #expect(user.body["Item"]?.arrayValue?.map { $0["Id"] } == ["e1"])
            #expect(try Self.send(server, "DELETE", "\(Self.path)/users/jane").status == 202)
            #expect(try Self.send(server, "DELETE", "\(Self.path)/endpoints/b").status == 202)
            let missing = try Self.send(server, "GET", "\(Self.path)/endpoints/b")
            #expect(missing.status == 404 && missing.type == "NotFoundException")
            #expect(missing.body["Message"] == "Resource not found" && missing.body["RequestID"] != nil)
            #expect(missing.body["__type"] == "NotFoundException")
        }
    }

    @Test("a guest and nobody else than a signer of this service sends events; a guest may not list users' endpoints")
    func signers() async throws {
        try await Self.with { server in
            let guest = try await guest(of: server)
            let secret = (guest.id, guest.secret)
            let put = try Self.send(
                server, "POST", "\(Self.path)/events", Self.events(1), by: secret, session: guest.session)
            #expect(put.status == 202, "\(put)")
            for (method, path) in [
                ("GET", "users/jane"), ("DELETE", "users/jane"), ("DELETE", "endpoints/e1"), ("PUT", "endpoints"),
            ] {
                let refused = try Self.send(
                    server, method, "\(Self.path)/\(path)", by: secret, session: guest.session)
                #expect(refused.status == 403 && refused.type == "ForbiddenException", "\(method) \(path)")
            }
            #expect(
                try Self.send(server, "GET", "\(Self.path)/endpoints/e1", by: secret, session: guest.session).status
                    == 200)
            let viewer = ("AKIAVIEWER", Self.key.1)
            #expect(try Self.send(server, "POST", "\(Self.path)/events", Self.events(1), by: viewer).status == 403)
            #expect(try Self.send(server, "GET", "\(Self.path)/endpoints/e1", by: viewer).status == 200)
            for (key, service) in [
                (("AKIAOTHER", Self.key.1), "mobiletargeting"), ((Self.key.0, "wrong"), "mobiletargeting"),
                (("AKIANOBODY", Self.key.1), "mobiletargeting"), (Self.key, "appsync"),
            ] {
                let refused = try Self.send(
                    server, "POST", "\(Self.path)/events", Self.events(1), by: key, service: service)
                #expect(refused.status == 403, "\(key) \(service) \(refused)")
                #expect(
                    ["InvalidSignatureException", "UnrecognizedClientException"].contains(refused.type ?? ""),
                    "\(refused)")
            }
            let text = Self.events(1).description
            let unsigned = try Self.exchange(
                server,
                "POST \(Self.path)/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            )
            #expect(unsigned.status == 403 && unsigned.type == "MissingAuthenticationTokenException", "\(unsigned)")
        }
    }

    private func guest(of server: TestServer) async throws -> (id: String, secret: String, session: String) {
        func call(_ operation: String, _ body: JSONValue) throws -> JSONValue {
            let text = body.description
            let client = try server.connect()
            try client.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityService.\(operation)\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            return try JSONReader.read(try client.receive().body)
        }
        let pool = try #require(server.service.signIn?.identityPools.first)
        let identity = try #require(try call("GetId", ["IdentityPoolId": .string(pool)])["IdentityId"])
        let answer = try call("GetCredentialsForIdentity", ["IdentityId": identity])
        let credentials = try #require(answer["Credentials"])
        return (
            try #require(credentials["AccessKeyId"]?.stringValue), try #require(credentials["SecretKey"]?.stringValue),
            try #require(credentials["SessionToken"]?.stringValue)
        )
    }

    @Test("an unknown app, a bad body and one that is too large are answered in Pinpoint's form")
    func errors() async throws {
        try await Self.with { server in
            let unknown = try Self.send(server, "POST", "/v1/apps/other/events", Self.events(1))
            #expect(unknown.status == 404 && unknown.type == "NotFoundException")
            let bad = try Self.send(server, "POST", "\(Self.path)/events", [])
            #expect(bad.status == 400 && bad.type == "BadRequestException" && bad.body["RequestID"] != nil)
            let large = try Self.exchange(
                server,
                "POST \(Self.path)/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(5 << 20)\r\n\r\n")
            #expect(large.status == 413 && large.type == "PayloadTooLargeException" && large.body["Message"] != nil)
        }
    }

    /// The head of a request with a body, which is never sent.
    private static let head = "POST \(path)/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(4 << 20)\r\n"

    /// Sends the head alone, signed by a key at another time than now.
    private static func sendHead(
        _ server: TestServer, by id: String, laterBySeconds seconds: Int64 = 0, service: String = "mobiletargeting"
    ) throws -> Exchange {
        var request = SignedRequest(
            method: "POST", path: "\(path)/events", headers: [("host", "localhost")],
            bodyHash: SignedRequest.bodyHash(of: []))
        try RequestSigner(accessKeyID: id, secret: key.1, region: "us-east-1", service: service)
            .sign(&request, now: Int64(Date().timeIntervalSince1970) + seconds)
        let lines = request.headers.filter { $0.name != "host" }.map { "\($0.name): \($0.value)\r\n" }.joined()
        return try exchange(server, head + lines + "\r\n")
    }

    @Test("a request without a signature, or with one that cannot be valid, is refused before its body is received")
    func unsigned() async throws {
        try await Self.with { server in
            #expect(try Self.exchange(server, Self.head + "\r\n").type == "MissingAuthenticationTokenException")
            #expect(try Self.sendHead(server, by: "AKIAUNKNOWN").type == "UnrecognizedClientException")
            let old = try Self.sendHead(server, by: Self.key.0, laterBySeconds: -7_200)
            #expect(old.type == "InvalidSignatureException")
            #expect(try Self.sendHead(server, by: Self.key.0, service: "s3").status == 403)
        }
    }

    @Test("a body with a content coding is refused, and amz-1.0, which is none, is not")
    func contentCoding() async throws {
        try await Self.with { server in
            let coded = try Self.exchange(server, Self.head + "Content-Encoding: gzip\r\n\r\n")
            #expect(coded.status == 415 && coded.type == "BadRequestException")
            let plain = try Self.exchange(server, Self.head + "Content-Encoding: amz-1.0\r\n\r\n")
            #expect(plain.type == "MissingAuthenticationTokenException")
        }
    }

    @Test("event types are printed without control characters on a terminal and without formulas in CSV")
    func printed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await Self.with({ ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data")) }) { server in
            let types = ["\u{1B}[31mred\r\n", "=cmd|x", "@a,\"b\"", "-1", "plain"]
            let events = types.enumerated().map { number, type -> (String, JSONValue) in
                ("\(number)", ["EventType": .string(type), "Timestamp": .string(Self.now)])
            }
            let batch: JSONValue = [
                "BatchItem": ["e1": ["Endpoint": [:], "Events": .object(JSONObject(events))]]
            ]
            #expect(try Self.send(server, "POST", "\(Self.path)/events", batch).status == 202)
            let report = ["analytics", "events", "--from", "2026-01-15", "--to", "2026-01-15", "--data", "data"]
            let table = try run(report, in: folder).output
            #expect(
                table.contains("\\u001b[31mred\\u000d\\u000a") && !table.unicodeScalars.contains("\u{1B}"), "\(table)")
            let csv = try run(report + ["--csv"], in: folder).output
            #expect(!csv.unicodeScalars.contains("\u{1B}"))
            for cell in [",\"'=cmd|x\",1", ",\"'@a,\"\"b\"\"\",1", ",\"'-1\",1", ",plain,1"] {
                #expect(csv.contains(cell), "\(csv)")
            }
            let exported = try run(["analytics", "export", "--csv", "--data", "data"], in: folder).output
            #expect(exported.hasPrefix("app,time,type,id,user,endpoint,session,attributes,metrics\n"), "\(exported)")
            #expect(exported.contains(",\"'=cmd|x\",1,") && exported.contains(",plain,4,"), "\(exported)")
            // An absent attribute is an empty cell.
            let byAttribute = try run(report + ["--by", "none", "--csv"], in: folder).output
            #expect(byAttribute.contains("\n2026-01-15,,\(types.count)\n"), "\(byAttribute)")
            let deleted = try run(["analytics", "delete", "--type", "-1", "--data", "data"], in: folder)
            let other = try run(["analytics", "delete", "--type==cmd|x", "--data", "data"], in: folder)
            #expect(other.output == "Deleted 1 events and the counts of 1 days of =cmd|x.\n", "\(deleted) \(other)")
            #expect(try run(["analytics", "delete", "--data", "data"], in: folder).code == 2)
        }
    }

    @Test("the bodies of concurrent requests are bounded together, and a request beyond the bound gets 429")
    func bodies() async throws {
        try await Self.with({ $0.limits.analytics.operationBytesMax = 4_000 }) { server in
            #expect(try Self.send(server, "POST", "\(Self.path)/events", Self.events(1)).status == 202)
            let large = try Self.send(server, "POST", "\(Self.path)/events", Self.events(30))
            #expect(large.status == 429 && large.type == "TooManyRequestsException")
            #expect(try Self.send(server, "POST", "\(Self.path)/events", Self.events(1)).status == 202)
        }
    }

    @Test("a body that arrives slowly takes no place among the operations under way")
    func slowBodies() async throws {
        try await Self.with({ $0.limits.analytics.operationsMax = 1 }) { server in
            let text = Self.events(1, endpoint: "slow").description
            var request = SignedRequest(
                method: "POST", path: "\(Self.path)/events", headers: [("host", "localhost")],
                bodyHash: SignedRequest.bodyHash(of: Array(text.utf8)))
            try RequestSigner(
                accessKeyID: Self.key.0, secret: Self.key.1, region: "us-east-1", service: "mobiletargeting"
            ).sign(&request, now: Int64(Date().timeIntervalSince1970))
            let lines = request.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            let slow = try server.connect()
            try slow.send(
                "POST \(Self.path)/events HTTP/1.1\r\n\(lines)Expect: 100-continue\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            )
            // The server asks for the body.
            #expect(try slow.receive(byteCount: 25) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            try slow.send(String(text.prefix(9)))
            #expect(try Self.send(server, "POST", "\(Self.path)/events", Self.events(1)).status == 202)
            try slow.send(String(text.dropFirst(9)))
            #expect(try slow.receive().status == 202)
        }
    }

    @Test("a page of another origin may send events, as far as the configuration has it")
    func preflight() async throws {
        try await Self.with { server in
            let answer = try server.connect().ask(
                "OPTIONS", "\(Self.path)/events",
                headers: [
                    "Host": "localhost", "Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "authorization,content-type,x-amz-date,x-amz-security-token",
                ])
            #expect(answer.status == 200)
            #expect(answer["access-control-allow-methods"].first?.contains("POST") ?? false)
            #expect(answer["access-control-allow-headers"].first?.contains("x-amz-security-token") ?? false)
        }
    }

    @Test(
        "Kinesis and Firehose are refused by name",
        arguments: ["Kinesis_20131202.PutRecords", "Firehose_20150804.PutRecordBatch"])
    func otherServices(_ target: String) async throws {
        try await Self.with { server in
            let answer = try Self.exchange(
                server, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: \(target)\r\nContent-Length: 2\r\n\r\n{}")
            #expect(answer.status == 400 && answer.body["__type"] == "UnknownOperationException")
            #expect(answer.body["message"]?.stringValue?.contains("is not served") ?? false)
        }
    }

    @Test("operators ask by the socket, and a deletion is entered in the audit log")
    func operators() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await Self.with({ ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data")) }) { server in
            _ = try Self.send(server, "POST", "\(Self.path)/events", Self.events(3, user: "ja ne/ä"))
            let other: JSONValue = ["EventType": "op/en ?", "Timestamp": "2026-01-10T10:00:00Z"]
            _ = try Self.send(
                server, "POST", "\(Self.path)/events", ["BatchItem": ["e1": ["Endpoint": [:], "Events": ["x": other]]]])
            let client = OperatorClient(server.configuration)
            let range = [(name: "from", value: "2026-01-15"), (name: "to", value: "2026-01-15")]
            let report = try await client.analytics("events", range)
            #expect(report["items"] == [["day": "2026-01-15", "event": "open", "events": 3]])
            let funnel = try await client.analytics("funnel", range + [("step", "open"), ("step", "a b&c=d")])
            #expect(funnel["items"]?.arrayValue?.last?["event"] == "a b&c=d")
            var exported: [JSONValue] = []
            try await client.eachEvent([]) { exported.append($0) }
            #expect(exported.map { $0["user"] } == Array(repeating: "ja ne/ä", count: 4))
            #expect(try await client.analyticsApps()["items"]?.arrayValue?.first?["users"] == 1)
            #expect(try await client.deleteAnalytics(ofType: "op/en ?", app: "app-1") == ["events": 1, "days": 1])
            let deleted = try await client.deleteAnalytics(ofUser: "ja ne/ä", app: nil)
            #expect(deleted["events"] == 3)
            await #expect(throws: ServerError.self) { try await client.analytics("events", [("days", "none")]) }
            await #expect(throws: ServerError.self) { try await client.deleteAnalytics(ofUser: "nobody", app: nil) }
            var audit: [String] = []
            try await client.audit { audit.append($0) }
            let actions = try audit.map { try JSONReader.read($0)["action"]?.stringValue }
            #expect(
                actions == [
                    "analytics.deleteType", "analytics.deleteUser", "analytics.deleteUser",
                    "analytics.deleteUser.failed",
                ], "\(audit)")
        }
    }

    @Test("a backup has the events, and clear-data leaves them")
    func backup() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let change: (inout Configuration) -> Void = {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data"))
        }
        try await Self.with(change) { server in
            _ = try Self.send(server, "POST", "\(Self.path)/events", Self.events(3))
            let cleared = try server.connect().ask("DELETE", "/clear-data", headers: ["Host": "localhost"])
            let said = try JSONReader.read(cleared.body)
            #expect(cleared.status == 200 && said["cleared"] == ["tables", "objects", "uploads", "objectEvents"])
            #expect(said["kept"] == ["users", "events"])
            try await OperatorClient(server.configuration).backUp(to: folder.path("backup"), replaces: false)
            _ = try Self.send(server, "POST", "\(Self.path)/events", Self.events(9))
        }
        var configuration = Configuration()
        configuration.data.folder = folder.path("restored")
        configuration.analytics = Self.options(#"{"analytics": {"appId": "app-1"}}"#)
        _ = try Backups.restore(folder.path("backup"), to: configuration) { true }
        let report = try await OperatorClient(configuration).analytics(
            "events", [("from", "2026-01-15"), ("total", "true")])
        #expect(report["items"] == [["event": "open", "events": 3]])
    }

    @Test("'serve' accepts the events of configured apps, and no others, even where 'dev' has created an app")
    func servedApps() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func apps(_ mode: Service.Mode, _ text: String) async throws -> [String] {
            var apps: [String] = []
            try await Self.with(
                mode: mode,
                {
                    ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data"))
                    $0.analytics = Self.options(text)
                }
            ) { server in
                apps = server.service.analyticsApps
                let put = try Self.send(server, "POST", "\(Self.path)/events", Self.events(1))
                #expect(put.status == (apps.contains("app-1") ? 202 : 404))
            }
            return apps
        }
        #expect(try await apps(.serve, "{}") == [])
        #expect(try await apps(.dev, "{}").count == 1)
        #expect(try await apps(.serve, "{}") == [])
        #expect(try await apps(.serve, #"{"analytics": {"appId": "app-1"}}"#) == ["app-1"])
    }

    @Test(
        "'dev' accepts the events of an app that stays the folder's, restored ones as well, or else of the configured apps"
    )
    func apps() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var seen: [[String]] = []
        func serve(_ text: String) async throws {
            try await Self.with({
                ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data"))
                $0.analytics = Self.options(text)
            }) { server in
                let apps = server.service.analyticsApps
                seen.append(apps)
                if let app = apps.first, seen.count == 1 {
                    let put = try Self.send(server, "POST", "/v1/apps/\(app)/events", Self.events(1))
                    #expect(put.status == 202)
                }
                if apps.isEmpty {
                    let put = try Self.send(server, "POST", "\(Self.path)/events", Self.events(1))
                    #expect(put.status == 404)
                }
            }
        }
        try await serve("{}")
        try await serve("{}")
        try FileManager.default.removeItem(atPath: folder.path("data/\(DeveloperApp.fileName)"))
        try await serve("{}")
        #expect(seen[0].count == 1 && seen[0][0].count == 32)
        #expect(seen[1] == seen[0] && seen[2] == seen[0])
        try await serve(#"{"analytics": false}"#)
        #expect(seen[3].isEmpty)
        try await serve(#"{"analytics": {"appId": ["a", "b"], "name": "x"}}"#)
        #expect(seen[4] == ["a", "b"])
    }

    @Test("what 'analytics' cannot be is reported at its key")
    func configuration() throws {
        for (text, problem) in [
            (#"{"analytics": {"appId": "a/b"}}"#, "Invalid app id"), (#"{"analytics": 1}"#, "is an object"),
            (#"{"analytics": {"appId": ["a", "a"]}}"#, "is named twice"),
            (#"{"analytics": {"retentionDays": 0}}"#, "'analytics.retentionDays' is a whole number"),
            (#"{"analytics": {"retention": 1}}"#, "Unknown key 'analytics.retention'"),
        ] {
            let file = try ConfigurationFile(name: "test", bytes: Array(text.utf8))
            let findings = Findings()
            var options = AnalyticsOptions()
            options.read(ConfigurationSection(file.value, at: [], of: file, findings: findings))
            #expect(findings.diagnostics.contains { $0.message.contains(problem) }, "\(text) \(findings.diagnostics)")
        }
    }
}
