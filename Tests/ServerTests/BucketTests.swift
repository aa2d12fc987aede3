import AWSSignature
import Buckets
import Crypto
import Encodings
import Foundation
import HTTP
import JSON
import Tables
import Testing
import UserPools

@testable import Server

@Suite("Buckets over sockets")
struct BucketTests {
    static let key = ("AKIAEXAMPLEKEY000001", "secretEXAMPLE+/key")

    static func with(
        mode: Service.Mode = .dev, storage: String? = nil, functions: String = "{}", limits: String = "{}",
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let file = try TemporaryFolder()
        defer { file.remove() }
        let storage = storage.map { "\"storage\": \($0)," } ?? ""
        try file.write("{\(storage) \"functions\": \(functions), \"limits\": \(limits)}", to: "syncline.json")
        let read = try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [file.path("syncline.json")]], environment: [:]))
        try await TestServer.with(
            mode: mode,
            {
                $0.storage = read.storage
                $0.functions = read.functions
                $0.limits.buckets = read.limits.buckets
                $0.limits.functions = read.limits.functions
                $0.limits.storageRequestsMax = read.limits.storageRequestsMax
                $0.limits.storageUploadsMax = read.limits.storageUploadsMax
                $0.apiKeys = read.apiKeys
                $0.userPools.accessKeys = [.init(id: key.0, secret: key.1)]
            }, body)
    }

    /// The request of an operator, signed, as it is sent.
    static func request(
        _ method: String, _ path: String, query: String = "", host: String = "localhost",
        headers: [(String, String)] = [], body: [UInt8] = [], announces: Int? = nil,
        by signer: RequestSigner = RequestSigner(
            accessKeyID: key.0, secret: key.1, region: "us-east-1", service: "s3")
    ) throws -> [UInt8] {
        var request = SignedRequest(
            method: method, path: path, query: query, headers: [("Host", host)] + headers.map { ($0.0, $0.1) },
            bodyHash: announces == nil ? SignedRequest.bodyHash(of: body) : nil)
        try signer.sign(&request, now: Int64(Date().timeIntervalSince1970))
        return bytes(of: request, body, count: announces ?? body.count)
    }

    private static func bytes(of request: SignedRequest, _ body: [UInt8], count: Int) -> [UInt8] {
        let lines = request.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let query = request.query.isEmpty ? "" : "?\(request.query)"
        return Array(
            "\(request.method) \(request.path)\(query) HTTP/1.1\r\n\(lines)Content-Length: \(count)\r\n\r\n".utf8)
            + body
    }

    static func ask(
        _ client: Client, _ method: String, _ path: String, query: String = "", host: String = "localhost",
        headers: [(String, String)] = [], body: String = ""
    ) throws -> Client.Answer {
        try client.send(
            request(method, path, query: query, host: host, headers: headers, body: Array(body.utf8)))
        return try client.receive(hasBody: method != "HEAD")
    }

    /// A request that is not signed.
    static func askUnsigned(
        _ client: Client, _ method: String, _ path: String, headers: [String: String] = [:]
    ) throws -> Client.Answer {
        try client.ask(method, path, headers: headers.merging(["Host": "localhost"]) { own, _ in own })
    }

    @Test("dev makes a bucket whose objects an operator stores, reads, lists and removes")
    func operations() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let put = try Self.ask(
                client, "PUT", "/syncline/public/a%20b.txt", headers: [("x-amz-meta-k", "v")], body: "hello")
            #expect(put.status == 200 && put["etag"] == ["\"5d41402abc4b2a76b9719d911017c592\""], "\(put.body)")
            #expect(put["x-amz-request-id"].count == 1 && put["x-amz-id-2"].count == 1)
            let get = try Self.ask(client, "GET", "/syncline/public/a%20b.txt")
            #expect(
                get.status == 200 && get.body == "hello" && get["x-amz-meta-k"] == ["v"]
                    && get["server"] == ["Syncline"])
            #expect(get["x-content-type-options"] == ["nosniff"] && get["content-security-policy"] == ["sandbox"])
            let head = try Self.ask(client, "HEAD", "/syncline/public/a%20b.txt")
            #expect(head.status == 200 && head["content-length"] == ["5"])
            // The connection goes on after an answer to HEAD.
            let part = try Self.ask(client, "GET", "/syncline/public/a%20b.txt", headers: [("Range", "bytes=1-3")])
            #expect(part.status == 206 && part.body == "ell" && part["content-range"] == ["bytes 1-3/5"])
            let beyond = try Self.ask(client, "GET", "/syncline/public/a%20b.txt", headers: [("Range", "bytes=9-")])
            #expect(beyond.status == 416 && beyond.body.contains("<ActualObjectSize>5</ActualObjectSize>"))
            let list = try Self.ask(client, "GET", "/syncline", query: "list-type=2&prefix=public%2F")
            #expect(list.body.contains("<Key>public/a b.txt</Key>") && list.body.contains("<KeyCount>1</KeyCount>"))
            let buckets = try Self.ask(client, "GET", "/")
            #expect(buckets.body.contains("<Name>syncline</Name>"), "\(buckets.body)")
            #expect(try Self.ask(client, "DELETE", "/syncline/public/a%20b.txt").status == 204)
            let missing = try Self.ask(client, "GET", "/syncline/public/a%20b.txt")
            #expect(missing.status == 404 && missing.body.contains("<Code>NoSuchKey</Code>"))
            let missingHead = try Self.ask(client, "HEAD", "/syncline/public/a%20b.txt")
            #expect(missingHead.status == 404 && missingHead.bytes.isEmpty)
        }
    }

    @Test("bodies in XML that arrive slowly take no place among the requests under way")
    func slowDocuments() async throws {
        try await Self.with(limits: #"{"storageRequestsMax": 2}"#) { server in
            let body = Array("<Delete><Object><Key>public/a</Key></Object></Delete>".utf8)
            let request = try Self.request(
                "POST", "/syncline", query: "delete=",
                headers: [
                    ("Expect", "100-continue"),
                    ("Content-MD5", Data(Insecure.MD5.hash(data: body)).base64EncodedString()),
                ], body: body)
            let clients = try (0..<8).map { _ in
                let client = try server.connect()
                try client.send(Array(request.dropLast(body.count)))
                // The server asks for the body.
                #expect(try client.receive(byteCount: 25) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                try client.send(Array(body.prefix(9)))
                return client
            }
            let other = try server.connect()
            #expect(try Self.ask(other, "PUT", "/syncline/public/a", body: "x").status == 200)
            #expect(try Self.ask(other, "GET", "/syncline", query: "list-type=2").body.contains("public/a"))
            for client in clients {
                try client.send(Array(body.dropFirst(9)))
                let answer = try client.receive()
                #expect(answer.status == 200 && answer.body.contains("<Deleted><Key>public/a</Key></Deleted>"))
            }
            #expect(try Self.ask(other, "GET", "/syncline/public/a").status == 404)
            let large = try Self.ask(
                other, "POST", "/syncline", query: "delete=", body: String(repeating: " ", count: 5 << 20))
            #expect(large.status == 400 && large.body.contains("<Code>MalformedXML</Code>"), "\(large.body)")
        }
    }

    @Test(
        "objects of every size are sent whole and in ranges, read or from the file",
        arguments: [0, 1, 32 << 10, 32 << 10 + 1])
    func sizes(byteCount: Int) async throws {
        try await Self.with { server in
            let client = try server.connect()
            let text = String((0..<byteCount).map { Character(Unicode.Scalar(0x61 + UInt8($0 % 23))) })
            #expect(try Self.ask(client, "PUT", "/syncline/public/x", body: text).status == 200)
            for _ in 0..<2 {
                let get = try Self.ask(client, "GET", "/syncline/public/x")
                #expect(get.status == 200 && get.body == text && get["content-length"] == ["\(byteCount)"])
            }
            guard byteCount > 2 else { return }
            for (first, last) in [(0, byteCount - 1), (1, byteCount - 1), (byteCount - 2, byteCount - 1), (5, 5)] {
                let part = try Self.ask(
                    client, "GET", "/syncline/public/x", headers: [("Range", "bytes=\(first)-\(last)")])
                #expect(part.status == 206 && part.body == String(text.dropFirst(first).prefix(last - first + 1)))
            }
        }
    }

    @Test("objects that arrive slowly take no place among the requests under way, and have a bound of their own")
    func slowBodies() async throws {
        try await Self.with(limits: #"{"storageRequestsMax": 2, "storageUploadsMax": 8}"#) { server in
            let body = Array("hello".utf8)
            func begin(_ number: Int) throws -> Client {
                let client = try server.connect()
                let request = try Self.request(
                    "PUT", "/syncline/public/\(number)", headers: [("Expect", "100-continue")], body: body)
                try client.send(Array(request.dropLast(body.count)))
                return client
            }
            let clients = try (0..<8).map { number in
                let client = try begin(number)
                // The operation has begun, and waits for the body.
                #expect(try client.receive(byteCount: 25) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                try client.send(Array(body.prefix(2)))
                return client
            }
            let refused = try begin(8).receive()
            #expect(refused.status == 503 && refused.body.contains("<Code>SlowDown</Code>"))
            let other = try server.connect()
            for _ in 0..<3 {
                #expect(try Self.ask(other, "PUT", "/syncline/public/a").status == 200)
                #expect(try Self.ask(other, "GET", "/syncline", query: "list-type=2").body.contains("public/a"))
                #expect(try Self.ask(other, "DELETE", "/syncline/public/a").status == 204)
            }
            for client in clients {
                try client.send(Array(body.dropFirst(2)))
                #expect(try client.receive().status == 200)
            }
            #expect(try Self.ask(other, "GET", "/syncline/public/7").body == "hello")
            #expect(try Self.ask(other, "PUT", "/syncline/public/8", body: "hello").status == 200)
        }
    }

    @Test(
        "Location has the public URL, or else the scheme that a trusted proxy says",
        arguments: [
            ("{}", "http://localhost"), (#"{"trustedProxies": ["127.0.0.1"]}"#, "https://localhost"),
            (#"{"publicURL": "https://media.example.com"}"#, "https://media.example.com"),
        ])
    func location(settings: String, origin: String) async throws {
        let file = try TemporaryFolder()
        defer { file.remove() }
        try file.write(settings, to: "syncline.json")
        let read = try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [file.path("syncline.json")]], environment: [:]))
        try await TestServer.with({
            $0.userPools.accessKeys = [.init(id: Self.key.0, secret: Self.key.1)]
            $0.userPools.publicURL = read.userPools.publicURL
            $0.trustedProxies = read.trustedProxies
        }) { server in
            let client = try server.connect()
            let path = "/syncline/public/a"
            let created = try Self.ask(client, "POST", path, query: "uploads=")
            let id = created.body.components(separatedBy: "<UploadId>").last?.components(separatedBy: "<").first ?? ""
            let part = try Self.ask(client, "PUT", path, query: "partNumber=1&uploadId=\(id)", body: "hello")
            let document = """
                <CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(part["etag"].first ?? "")</ETag></Part>\
                </CompleteMultipartUpload>
                """
            let forwarded = [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https")]
            let done = try Self.ask(
                client, "POST", path, query: "uploadId=\(id)", headers: forwarded, body: document)
            #expect(done.status == 200 && done.body.contains("<Location>\(origin)\(path)</Location>"), "\(done.body)")
        }
    }

    @Test("other routes go first, and paths that are no bucket's are answered as before")
    func routes() async throws {
        try await Self.with(storage: "{}") { server in
            let client = try server.connect()
            #expect(try client.ask("GET", "/health", headers: ["Host": "localhost"]).status == 200)
            #expect(try Self.ask(client, "GET", "/health").status == 200)
            let unknown = try client.ask("GET", "/nothing/here", headers: ["Host": "localhost"])
            #expect(unknown.status == 404 && unknown["x-amz-request-id"].isEmpty, "\(unknown.body)")
            let noBucket = try Self.ask(client, "GET", "/nothing/here")
            #expect(noBucket.status == 404 && noBucket.body.contains("<Code>NoSuchBucket</Code>"), "\(noBucket.body)")
            let config = try client.ask("GET", "/api-config", headers: ["Host": "localhost"])
            #expect(config.body.contains(#""aws_user_files_s3_bucket":"syncline""#), "\(config.body)")
        }
    }

    @Test("a bucket has the keys that pools have for their documents, and none is made with the name of another route")
    func poolDocuments() async throws {
        try await Self.with { server in
            let client = try server.connect()
            for name in ["jwks.json", "openid-configuration"] {
                let path = "/syncline/.well-known/\(name)"
                #expect(try Self.ask(client, "PUT", path, body: "own").status == 200)
                let get = try Self.ask(client, "GET", path)
                #expect(get.status == 200 && get.body == "own")
                #expect(try Self.ask(client, "HEAD", path).status == 200)
                let denied = try Self.askUnsigned(client, "GET", path)
                #expect(denied.status == 403 && denied.body.contains("<Code>AccessDenied</Code>"))
                #expect(try Self.ask(client, "DELETE", path).status == 204)
            }
            let other = try Self.askUnsigned(client, "GET", "/none/.well-known/jwks.json")
            #expect(!other.body.contains("<Code>"), "\(other.body)")
            let made = try Self.ask(client, "PUT", "/oauth2")
            #expect(made.status == 409 && made.body.contains("<Code>BucketAlreadyExists</Code>"), "\(made.body)")
        }
    }

    @Test("serve has no bucket unless one is configured")
    func serve() async throws {
        try await Self.with(mode: .serve) { server in
            #expect(server.service.bucketNames.isEmpty)
            let client = try server.connect()
            #expect(try Self.ask(client, "GET", "/syncline/x").body.contains("NoSuchBucket") == false)
        }
        try await Self.with(mode: .serve, storage: "{}") { server in
            #expect(server.service.bucketNames == ["syncline"])
        }
    }

    @Test("a request that is not signed is denied, but for the prefixes that anybody may read")
    func anonymous() async throws {
        try await Self.with(storage: #"{"name": "media", "anonymousRead": ["public/site/"]}"#) { server in
            let client = try server.connect()
            for key in ["public/site/a", "public/b"] {
                #expect(try Self.ask(client, "PUT", "/media/\(key)", body: "x").status == 200)
            }
            #expect(try Self.askUnsigned(client, "GET", "/media/public/site/a").body == "x")
            let denied = try Self.askUnsigned(client, "GET", "/media/public/b")
            #expect(denied.status == 403 && denied.body.contains("<Code>AccessDenied</Code>"), "\(denied.body)")
            for (method, path) in [
                ("GET", "/media?list-type=2&prefix=public/site/"), ("DELETE", "/media/public/site/a"),
            ] {
                #expect(try Self.askUnsigned(client, method, path).status == 403)
            }
        }
    }

    @Test("a wrong secret, an unknown key and an old date are refused as S3 does")
    func signatures() async throws {
        try await Self.with { server in
            let client = try server.connect()
            func code(_ id: String, _ secret: String, token: String? = nil) throws -> String {
                let signer = RequestSigner(
                    accessKeyID: id, secret: secret, sessionToken: token, region: "eu-west-1", service: "s3")
                try client.send(Self.request("GET", "/syncline/x", by: signer))
                return try client.receive().body
            }
            #expect(try code(Self.key.0, "wrong").contains("<Code>SignatureDoesNotMatch</Code>"))
            #expect(try code("AKIAUNKNOWN", "wrong").contains("<Code>InvalidAccessKeyId</Code>"))
            #expect(try code("ASIAUNKNOWN", "wrong", token: "t").contains("<Code>InvalidToken</Code>"))
            #expect(try code(Self.key.0, Self.key.1).contains("<Code>NoSuchKey</Code>"))
        }
    }

    @Test("a presigned URL is fetched without headers of its own, and not after it was changed")
    func presigned() async throws {
        try await Self.with { server in
            let client = try server.connect()
            #expect(try Self.ask(client, "PUT", "/syncline/public/x", body: "hello").status == 200)
            var request = SignedRequest(
                method: "GET", path: "/syncline/public/x", query: "x-id=GetObject", headers: [("Host", "localhost")])
            let signer = RequestSigner(
                accessKeyID: Self.key.0, secret: Self.key.1, region: "us-east-1", service: "s3")
            try signer.presign(&request, now: Int64(Date().timeIntervalSince1970), expiresSeconds: 60)
            let url = "\(request.path)?\(request.query)"
            #expect(try Self.askUnsigned(client, "GET", url).body == "hello")
            #expect(try Self.askUnsigned(client, "HEAD", url).status == 403)
            #expect(try Self.askUnsigned(client, "GET", url.replacing("public/x", with: "public/y")).status == 403)
        }
    }

    @Test(
        "a client that expects 100 Continue receives it before it sends its body, and the final answer at once if it is refused"
    )
    func expectation() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let body = Array("hello".utf8)
            let whole = try Self.request("PUT", "/syncline/public/x", headers: [("Expect", "100-continue")], body: body)
            try client.send(Array(whole.dropLast(body.count)))
            #expect(try client.receive(hasBody: false).status == 100)
            try client.send(body)
            #expect(try client.receive().status == 200)
            try client.send(
                "PUT /syncline/public/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
            #expect(try client.receive().status == 403)
        }
    }

    @Test("a connection that ends half-way through a body leaves the object as it was")
    func cutBody() async throws {
        try await Self.with { server in
            let client = try server.connect()
            #expect(try Self.ask(client, "PUT", "/syncline/public/x", body: "before").status == 200)
            for resets in [true, false] {
                let cut = try server.connect()
                if resets { cut.resetOnClose() }
                let half = [UInt8](repeating: 7, count: 300_000)
                try cut.send(Self.request("PUT", "/syncline/public/x", body: half, announces: 600_000))
                if !resets { cut.finishSending(); #expect(cut.awaitEnd()) }
            }
            #expect(try Self.ask(client, "GET", "/syncline/public/x").body == "before")
        }
    }

    @Test("a body of more than the bound is refused before it is read")
    func largeBody() async throws {
        try await Self.with(limits: #"{"objectBodyBytesMax": 1000}"#) { server in
            // The second one is refused by its head, before it is authenticated.
            for size in [5_000, 2 << 30] {
                let client = try server.connect()
                try client.send(Self.request("PUT", "/syncline/public/x", body: [], announces: size))
                let answer = try client.receive()
                #expect(answer.status == 400 && answer.body.contains("<Code>EntityTooLarge</Code>"), "\(answer.body)")
                #expect(answer.body.contains("<ProposedSize>\(size)</ProposedSize>"), "\(answer.body)")
                #expect(answer["content-type"] == ["application/xml"])
                let id = try #require(answer["x-amz-request-id"].first)
                #expect(answer.body.contains("<RequestId>\(id)</RequestId>"), "\(answer.body)")
            }
        }
    }

    @Test("a chunked body that turns out to exceed the bound is too large, and not incomplete")
    func largeChunkedBody() async throws {
        try await Self.with(limits: #"{"objectBodyBytesMax": 100000}"#) { server in
            let streaming = [
                ("x-amz-decoded-content-length", "100000"), ("x-amz-trailer", "x-amz-checksum-crc32"),
                ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
            ]
            // Chunks of one byte take six bytes each.
            let chunks = String(repeating: "1\r\nx\r\n", count: 33_334)
            let document = "<Delete>" + String(repeating: " ", count: chunks.utf8.count)
            for (method, path, query, headers, body) in [
                ("PUT", "/syncline/public/x", "", streaming, chunks), ("POST", "/syncline", "delete=", [], document),
            ] {
                let client = try server.connect()
                let request = try Self.request(method, path, query: query, headers: headers, announces: 0)
                let head = String(decoding: request, as: UTF8.self)
                try client.send(head.replacing("Content-Length: 0", with: "Transfer-Encoding: chunked"))
                try client.send("\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
                let answer = try client.receive()
                #expect(answer.status == 400 && answer.body.contains("<Code>EntityTooLarge</Code>"), "\(answer.body)")
            }
        }
    }

    @Test("a PUT without a length is refused, and stores no empty object")
    func missingLength() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let text = String(decoding: try Self.request("PUT", "/syncline/public/x", body: []), as: UTF8.self)
            try client.send(text.replacing("Content-Length: 0\r\n", with: ""))
            let answer = try client.receive()
            #expect(answer.status == 411 && answer.body.contains("<Code>MissingContentLength</Code>"), "\(answer.body)")
            #expect(try Self.ask(client, "GET", "/syncline/public/x").status == 404)
            #expect(try Self.ask(client, "PUT", "/syncline/public/x").status == 200)
        }
    }

    @Test("a large object is received and sent in parts, byte for byte")
    func largeObject() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            try client.send(Self.request("PUT", "/syncline/public/large", body: bytes))
            #expect(try client.receive().status == 200)
            try client.send(Self.request("GET", "/syncline/public/large"))
            #expect(try client.receive().bytes == bytes)
        }
    }

    @Test("the downloads of a replaced version beyond the bound are cut off, and one within it is not")
    func revokedDownloads() async throws {
        for bytesMax in [0, 1 << 30] {
            try await Self.with(
                storage: #"{"anonymousRead": ["open/"]}"#, limits: "{\"storageRemovedBytesMax\": \(bytesMax)}"
            ) { server in
                let writer = try server.connect()
                let old = [UInt8](repeating: 7, count: 16 << 20)
                try writer.send(Self.request("PUT", "/syncline/open/large", body: old))
                #expect(try writer.receive().status == 200)
                let readers = try (0..<2).map { _ in try Client(port: server.port, receiveBufferBytes: 64 << 10) }
                try readers[0].send("GET /syncline/open/large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try readers[1].send(Self.request("GET", "/syncline/open/large"))
                // Both are under way when the object is replaced.
                let starts = try readers.map { try $0.receive(byteCount: 12) }
                #expect(starts.allSatisfy { $0 == Array("HTTP/1.1 200".utf8) })
                #expect(try Self.ask(writer, "PUT", "/syncline/open/large", body: "new").status == 200)
                for reader in readers {
                    if bytesMax == 0 {
                        #expect(reader.awaitEnd())
                    } else {
                        // More than a head has.
                        #expect(try reader.receive(byteCount: old.count).last == 7)
                    }
                }
                #expect(try Self.ask(writer, "GET", "/syncline/open/large").body == "new")
            }
        }
    }

    @Test("a browser's preflight is answered by the rules of the bucket")
    func preflight() async throws {
        let cors =
            #"{"name": "media", "cors": [{"allowedOrigins": ["https://app.example"], "allowedMethods": ["GET", "PUT"]}]}"#
        try await Self.with(storage: cors) { server in
            let client = try server.connect()
            func preflight(_ origin: String, _ method: String) throws -> Client.Answer {
                try Self.askUnsigned(
                    client, "OPTIONS", "/media/public/x",
                    headers: ["Origin": origin, "Access-Control-Request-Method": method])
            }
            let allowed = try preflight("https://app.example", "PUT")
            #expect(allowed.status == 200 && allowed["access-control-allow-origin"] == ["https://app.example"])
            #expect(try preflight("https://other.example", "PUT").status == 403)
            #expect(try preflight("https://app.example", "DELETE").status == 403)
            let answer = try Self.ask(client, "PUT", "/media/public/x", headers: [("Origin", "https://app.example")])
            #expect(answer["access-control-expose-headers"].first?.contains("ETag") == true, "\(answer.headers)")
        }
    }

    @Test("a bucket has a host of its own below each base host, where every path is a key")
    func virtualHosts() async throws {
        try await Self.with(storage: #"{"name": "media", "baseHosts": ["s3.example.test"]}"#) { server in
            let client = try server.connect()
            let host = "media.S3.example.test:8080"
            for path in ["/graphql", "/health", "/a/b"] {
                #expect(try Self.ask(client, "PUT", path, host: host, body: path).status == 200)
                #expect(try Self.ask(client, "GET", path, host: host).body == path)
            }
            #expect(try Self.ask(client, "GET", "/media/graphql").body == "/graphql")
            let other = try Self.ask(client, "GET", "/x", host: "other.s3.example.test")
            #expect(other.body.contains("<Code>NoSuchBucket</Code>"))
        }
    }

    @Test("what the HTTP layer refuses is answered as S3 does where the request is for a bucket")
    func httpRefusals() async throws {
        try await Self.with(storage: #"{"name": "media", "baseHosts": ["s3.example.test"]}"#) { server in
            let long = String(repeating: "x", count: HTTPLimits().requestHeadBytesMax)
            let target = String(repeating: "x", count: HTTPLimits().targetBytesMax)
            let head = "HTTP/1.1\r\nHost: localhost\r\n"
            let table = [
                ("GET /media/k \(head)X: \(long)\r\n\r\n", 400, "RequestHeaderSectionTooLarge"),
                (
                    "GET /k HTTP/1.1\r\nHost: media.s3.example.test\r\nX: \(long)\r\n\r\n", 400,
                    "RequestHeaderSectionTooLarge"
                ),
                ("GET /media/\(target) \(head)\r\n", 414, "InvalidURI"),
                ("GET /media/k \(head)no header\r\n\r\n", 400, "BadRequest"),
                ("GET /media/k \(head)Host: h\r\n\r\n", 400, "BadRequest"),
                ("PUT /media/k \(head)Transfer-Encoding: gzip\r\n\r\n", 501, "NotImplemented"),
                ("PUT /media/k \(head)Expect: 200-ok\r\n\r\n", 417, "BadRequest"),
            ]
            for (request, status, code) in table {
                let client = try server.connect()
                try client.send(request)
                let answer = try client.receive(hasBody: true)
                #expect(answer.status == status, "\(request.prefix(80))")
                #expect(answer.body.contains("<Code>\(code)</Code>"), "\(request.prefix(80)): \(answer.body)")
                #expect(answer["content-type"] == ["application/xml"] && answer["x-amz-request-id"].count == 1)
            }
            // A path that is no bucket's keeps AppSync's form.
            let client = try server.connect()
            try client.send("GET /graphql \(head)X: \(long)\r\n\r\n")
            let answer = try client.receive(hasBody: true)
            #expect(answer.status == 431 && answer["x-amzn-ErrorType"] == ["RequestEntityTooLargeException"])
        }
    }

    @Test(
        "credentials of an identity pool reach what the access levels allow: guests nothing until they may, each user their own"
    )
    func identities() async throws {
        try await Self.with { server in
            let client = try server.connect()
            #expect(try Self.ask(client, "PUT", "/syncline/public/a", body: "x").status == 200)
            let guest = try Identity.guest(client)
            #expect(try guest.ask(client, "GET", "/syncline/public/a").status == 403)
        }
        try await Self.with(storage: #"{"guestAccess": ["READ"]}"#) { server in
            let client = try server.connect()
            #expect(try Self.ask(client, "PUT", "/syncline/public/a", body: "x").status == 200)
            let guest = try Identity.guest(client)
            #expect(try guest.ask(client, "GET", "/syncline/public/a").body == "x")
            #expect(try guest.ask(client, "PUT", "/syncline/public/a").status == 403)
            #expect(try guest.ask(client, "GET", "/syncline/private/\(guest.encodedID)/a").status == 403)
        }
    }

    @Test("who has the role of a group may do what the group may, instead of what those who signed in may")
    func groups() async throws {
        let file = try TemporaryFolder()
        defer { file.remove() }
        try file.write(
            """
            {"userPool": {
                "id": "us-east-1_Example01", "clients": [{"id": "app", "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"]}],
                "groups": [{"name": "Editors", "roleArn": "arn:aws:iam::000000000000:role/editors"}, {"name": "Plain"}],
                "users": [{"username": "ada", "password": "Passw0rd!", "groups": ["Plain", "Editors"]},
                          {"username": "ben", "password": "Passw0rd!", "groups": ["Plain"]}]},
             "storage": {"authAccess": ["READ"], "groupAccess": {"Editors": ["CREATE_AND_UPDATE"], "Plain": ["DELETE"]}}}
            """, to: "syncline.json")
        let read = try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [file.path("syncline.json")]], environment: [:]))
        try await TestServer.with({ ($0.userPools, $0.storage) = (read.userPools, read.storage) }) { server in
            let client = try server.connect()
            let ada = try Identity.user("ada", client)
            // A group has the whole bucket, and no more than what it was given.
            #expect(try ada.ask(client, "PUT", "/syncline/anything").status == 200)
            #expect(try ada.ask(client, "GET", "/syncline/public/x").status == 403)
            #expect(try ada.ask(client, "DELETE", "/syncline/anything").status == 403)
            // A group without a role changes nothing.
            let ben = try Identity.user("ben", client)
            #expect(try ben.ask(client, "GET", "/syncline/public/x").status == 404)
            #expect(try ben.ask(client, "PUT", "/syncline/public/x").status == 403)
            #expect(try ben.ask(client, "DELETE", "/syncline/public/x").status == 403)
        }
    }

    /// An identity with its temporary credentials.
    struct Identity {
        var id: String
        var signer: RequestSigner

        var encodedID: String { id.replacing(":", with: "%3A") }

        static func guest(_ client: Client, pool: String? = nil) throws -> Identity {
            try make([:], client, pool: pool)
        }

        /// A user of the pool of the test of groups.
        static func user(_ name: String, _ client: Client) throws -> Identity {
            let output = try call(
                client, "AWSCognitoIdentityProviderService.InitiateAuth",
                [
                    "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": "app",
                    "AuthParameters": ["USERNAME": .string(name), "PASSWORD": "Passw0rd!"],
                ])
            let token = try #require(output["AuthenticationResult"]?["IdToken"], "\(output)")
            return try make(["cognito-idp.us-east-1.amazonaws.com/us-east-1_Example01": token], client)
        }

        private static func call(_ client: Client, _ target: String, _ body: JSONValue) throws -> JSONValue {
            let headers = ["Host": "localhost", "X-Amz-Target": target]
            return try JSONReader.read(client.ask("POST", "/", headers: headers, body: body.description).body)
        }

        /// - Parameter pool: The identity pool; nil for that of `dev`.
        static func make(_ logins: JSONObject, _ client: Client, pool: String? = nil) throws -> Identity {
            func call(_ operation: String, _ body: JSONObject) throws -> JSONValue {
                var body = body
                if !logins.isEmpty { body["Logins"] = .object(logins) }
                return try Self.call(client, "AWSCognitoIdentityService.\(operation)", .object(body))
            }
            let pool = pool ?? UserPoolOptions().identityPoolID(["name": "syncline"])
            let id = try #require(try call("GetId", ["IdentityPoolId": .string(pool)])["IdentityId"]?.stringValue)
            let output = try call("GetCredentialsForIdentity", ["IdentityId": .string(id)])
            let credentials = try #require(output["Credentials"], "\(output)")
            return Identity(
                id: id,
                signer: RequestSigner(
                    accessKeyID: credentials["AccessKeyId"]?.stringValue ?? "",
                    secret: credentials["SecretKey"]?.stringValue ?? "",
                    sessionToken: credentials["SessionToken"]?.stringValue, region: "us-east-1", service: "s3"))
        }

        func ask(_ client: Client, _ method: String, _ path: String) throws -> Client.Answer {
            try client.send(BucketTests.request(method, path, by: signer))
            return try client.receive(hasBody: method != "HEAD")
        }
    }

    @Test("no answer has a Last-Modified that is later than its Date, also where the clock of the change is ahead")
    func lastModified() async throws {
        for aheadSeconds in [Int64(0), 100] {
            let clock = WallClock { WallClock.system.milliseconds() + aheadSeconds * 1_000 }
            try await TestServer.with(
                clock: clock, { $0.userPools.accessKeys = [.init(id: Self.key.0, secret: Self.key.1)] }
            ) { server in
                let client = try server.connect()
                for method in ["PUT", "GET", "HEAD", "GET"] {
                    let answer = try Self.ask(client, method, "/syncline/public/x", body: method == "PUT" ? "x" : "")
                    #expect(answer.status == 200)
                    let date = try #require(answer["date"].first.flatMap(HTTPTime.seconds))
                    guard method != "PUT" else { continue }
                    let modified = try #require(answer["last-modified"].first.flatMap(HTTPTime.seconds))
                    #expect(modified <= date, "\(answer["last-modified"]) \(answer["date"])")
                    #expect(abs(date - Int64(Date().timeIntervalSince1970)) < 30)
                }
                let unmodified = try Self.ask(
                    client, "GET", "/syncline/public/x", headers: [("If-None-Match", "*")])
                #expect(unmodified.status == 304)
                let date = try #require(unmodified["date"].first.flatMap(HTTPTime.seconds))
                #expect(try #require(unmodified["last-modified"].first.flatMap(HTTPTime.seconds)) <= date)
            }
        }
    }

    @Test("a header that is not UTF-8 is refused and never stored as something else")
    func undecodedHeaders() async throws {
        try await Self.with { server in
            let client = try server.connect()
            func put(_ name: String, _ value: String, isUndecoded: Bool) throws -> Client.Answer {
                // The server verifies the signature of the text in which U+FFFD replaces what cannot be decoded.
                var bytes = try Self.request("PUT", "/syncline/k", headers: [(name, value)])
                if isUndecoded { bytes.replace(Array("\u{FFFD}".utf8), with: [0xFF]) }
                try client.send(bytes)
                return try client.receive()
            }
            for name in ["Content-Type", "Cache-Control", "x-amz-meta-a", "x-amz-tagging"] {
                let answer = try put(name, "a\u{FFFD}b", isUndecoded: true)
                #expect(answer.status == 400 && answer.body.contains("<Code>InvalidArgument</Code>"), "\(answer.body)")
                #expect(answer.body.contains(name.lowercased()))
            }
            for text in ["a=%FF", "a=%C3", "%FF=a", "a=%"] {
                let answer = try put("x-amz-tagging", text, isUndecoded: false)
                #expect(answer.status == 400 && answer.body.contains("<Code>InvalidArgument</Code>"), "\(answer.body)")
            }
            #expect(try Self.ask(client, "HEAD", "/syncline/k").status == 404)
            // One that the client sends itself is a character like any other.
            #expect(try put("x-amz-meta-a", "a\u{FFFD}b", isUndecoded: false).status == 200)
            #expect(try Self.ask(client, "HEAD", "/syncline/k")["x-amz-meta-a"] == ["a\u{FFFD}b"])
            #expect(try put("User-Agent", "a\u{FFFD}b", isUndecoded: true).status == 200)
        }
    }

    @Test("clear-data removes all objects and says how many")
    func clearData() async throws {
        try await Self.with { server in
            let client = try server.connect()
            for number in 0..<3 {
                #expect(try Self.ask(client, "PUT", "/syncline/public/\(number)", body: "x").status == 200)
            }
            let cleared = try client.ask("DELETE", "/clear-data", headers: ["Host": "localhost"])
            #expect(cleared.body.contains(#""objects":3"#), "\(cleared.body)")
            #expect(
                try Self.ask(client, "GET", "/syncline", query: "list-type=2").body.contains("<KeyCount>0</KeyCount>"))
        }
    }

    @Test("an object event is sent to its function after the commit, and again after a failure")
    func events() async throws {
        try await FunctionServer.with(.init(status: 500, body: "")) { function, url in
            try await Self.with(
                storage:
                    #"{"triggers": [{"function": "thumbnails", "events": ["s3:ObjectCreated:*"], "prefix": "public/"}]}"#,
                functions: #"{"thumbnails": "\#(url)"}"#
            ) { server in
                let sending = Task { await server.service.sendObjectEvents() }
                defer { sending.cancel() }
                let client = try server.connect()
                #expect(try Self.ask(client, "PUT", "/syncline/private/x", body: "x").status == 200)
                #expect(try Self.ask(client, "PUT", "/syncline/public/a%20b", body: "hello").status == 200)
                try await eventually { function.calls.count == 1 }
                function.release(.init(body: "null"))
                try await eventually { function.calls.count == 2 }
                let record = try #require(function.calls[1].event["Records"]?.arrayValue?.first)
                #expect(record["eventName"] == "ObjectCreated:Put" && record["s3"]?["object"]?["key"] == "public/a+b")
                #expect(record["s3"]?["bucket"]?["name"] == "syncline")
                #expect(function.calls[0].event == function.calls[1].event)
            }
        }
    }

    @Test("a reload gives calls for object events other outbound rules")
    func reloadedRules() async throws {
        try await FunctionServer.with(.init(body: "null")) { function, url in
            try await Self.with(
                storage: #"{"triggers": [{"function": "thumbnails", "events": ["s3:ObjectCreated:*"]}]}"#,
                functions: #"{"thumbnails": "\#(url)"}"#
            ) { server in
                func serve(denying entries: [String]) async throws {
                    var changed = server.configuration
                    changed.outbound.deny = entries.compactMap(OutboundRules.Entry.init)
                    try await server.service.reloadServices(changed, server.service.reload(changed))
                }
                let sending = Task { await server.service.sendObjectEvents() }
                defer { sending.cancel() }
                let client = try server.connect()
                #expect(try Self.ask(client, "PUT", "/syncline/public/1", body: "x").status == 200)
                try await eventually { function.calls.count == 1 }
                try await serve(denying: ["127.0.0.1"])
                #expect(try Self.ask(client, "PUT", "/syncline/public/2", body: "x").status == 200)
                for _ in 0..<20 {
                    try await Task.sleep(for: .milliseconds(50))
                    #expect(function.calls.count == 1)
                }
                try await serve(denying: [])
                try await eventually { function.calls.count == 2 }
            }
        }
    }

    @Test("a function that does not answer delays the events of no other function")
    func hangingFunction() async throws {
        try await FunctionServer.with(nil) { hanging, hangingURL in
            try await FunctionServer.with(.init(body: "null")) { quick, quickURL in
                try await Self.with(
                    storage: #"{"triggers": [{"function": "hangs"}, {"function": "quick"}]}"#,
                    functions: #"{"hangs": "\#(hangingURL)", "quick": "\#(quickURL)"}"#,
                    // No call ends by its time while the test runs.
                    limits: #"{"functionCallSeconds": 600}"#
                ) { server in
                    let sending = Task { await server.service.sendObjectEvents() }
                    let client = try server.connect()
                    let perFunctionMax = server.configuration.limits.buckets.eventsPerFunctionMax
                    for number in 0..<3 * perFunctionMax {
                        #expect(try Self.ask(client, "PUT", "/syncline/\(number)", body: "x").status == 200)
                    }
                    try await eventually { quick.calls.count == 3 * perFunctionMax }
                    try await eventually { hanging.heldCount == perFunctionMax }
                    // In the order of the changes, so many at one time.
                    let keys = hanging.calls.map { $0.event["Records"]?.arrayValue?.first?["s3"]?["object"]?["key"] }
                    #expect(Set(keys) == Set((0..<perFunctionMax).map { JSONValue.string("\($0)") }))
                    hanging.release(.init(body: "null"))
                    try await eventually { hanging.calls.count == 3 * perFunctionMax }
                    sending.cancel()
                }
            }
        }
    }

    @Test("dev serves buckets on the mock's port where it is free, and starts without it where it is not")
    func mockPort() async throws {
        // Another server of this machine may have the port; then only the second half can be tested.
        let isFree = Self.listen(on: Service.mockStoragePort).map { close($0) } != nil
        for isTaken in isFree ? [false, true] : [true] {
            let holder = isTaken ? Self.listen(on: Service.mockStoragePort) : nil
            defer { if let holder { close(holder) } }
            let probe = try #require(Self.listen(on: 0))
            let port = Self.port(of: probe)
            close(probe)
            try await TestServer.with({ $0.address.port = port }) { server in
                #expect(try Self.askUnsigned(server.connect(), "GET", "/syncline/k").status == 403)
                guard !isTaken else { return }
                let client = try Client(port: Service.mockStoragePort)
                #expect(try Self.askUnsigned(client, "GET", "/syncline/k").body.contains("<Code>AccessDenied</Code>"))
            }
        }
    }

    /// A socket that listens on a port of the loopback; nil if another process has it. The caller closes it.
    private static func listen(on port: Int) -> Int32? {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) == 0 }
        }
        guard isBound, Foundation.listen(descriptor, 1) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
