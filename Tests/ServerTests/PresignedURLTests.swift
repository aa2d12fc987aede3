import AWSSignature
import Foundation
import Synchronization
import Tables
import Testing

@testable import Buckets
@testable import HTTP
@testable import Server
@testable import UserPools

@Suite("Presigned URLs that are fetched again")
struct PresignedURLTests {
    private typealias Identity = BucketTests.Identity

    /// A server with the object `public/x`, read by guests, and a clock that the test sets.
    private static func with(
        _ body: (TestServer, Client, _ seconds: borrowing Mutex<Int64>) async throws -> Void
    ) async throws {
        let time = Time()
        try await TestServer.with(
            clock: WallClock { time.seconds.withLock { $0 * 1_000 } },
            {
                $0.userPools.accessKeys = [
                    .init(id: BucketTests.key.0, secret: BucketTests.key.1),
                    .init(id: "AKIAVIEWER", secret: "viewer", role: .viewer),
                ]
                $0.storage = Self.storage(guests: #"["READ"]"#)
                $0.limits.eventLoopCount = 1
            }
        ) { server in
            let client = try server.connect()
            #expect(try BucketTests.ask(client, "PUT", "/syncline/public/x", body: "hello").status == 200)
            try await body(server, client, time.seconds)
        }
    }

    private final class Time: Sendable { let seconds = Mutex(Int64(Date().timeIntervalSince1970)) }

    private static func storage(guests: String) -> StorageOptions {
        guard let file = try? TemporaryFolder() else { return StorageOptions() }
        defer { file.remove() }
        try? file.write("{\"storage\": {\"guestAccess\": \(guests)}}", to: "syncline.json")
        let read = try? Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [file.path("syncline.json")]], environment: [:]))
        return read?.storage ?? StorageOptions()
    }

    private static let owner = RequestSigner(
        accessKeyID: BucketTests.key.0, secret: BucketTests.key.1, region: "us-east-1", service: "s3")

    private static func url(
        _ method: String = "GET", query: String = "", headers: [(String, String)] = [],
        by signer: RequestSigner = owner, at seconds: Int64
    ) throws -> String {
        var request = SignedRequest(
            method: method, path: "/syncline/public/x", query: query,
            headers: [("Host", "localhost")] + headers.map { ($0.0, $0.1) })
        try signer.presign(&request, now: seconds, expiresSeconds: 60)
        return "\(request.path)?\(request.query)"
    }

    private static func count(_ server: TestServer) -> Int {
        server.service.state.buckets.withLock { $0?.presignedURLs.count ?? -1 }
    }

    @Test("a known URL returns what the object is now, as its parameters and the headers of the request ask for")
    func known() async throws {
        try await Self.with { server, client, time in
            let url = try Self.url(query: "response-content-type=text%2Fcsv&x-id=GetObject", at: time.withLock { $0 })
            func get(_ headers: [String: String] = [:]) throws -> Client.Answer {
                try BucketTests.askUnsigned(client, "GET", url, headers: headers)
            }
            #expect(Self.count(server) == 0)
            for _ in 0..<3 {
                let answer = try get()
                #expect(answer.status == 200 && answer.body == "hello" && answer["content-type"] == ["text/csv"])
                #expect(answer["x-amz-request-id"].first?.utf8.count == 36)
            }
            #expect(Self.count(server) == 1)
            #expect(try get(["Range": "bytes=1-2"]).body == "el")
            #expect(try get(["If-None-Match": "*"]).status == 304)
            #expect(try get(["Origin": "https://app.example"])["access-control-allow-origin"] == ["*"])
            #expect(try BucketTests.ask(client, "PUT", "/syncline/public/x", body: "other").status == 200)
            #expect(try get().body == "other")
            #expect(try BucketTests.ask(client, "DELETE", "/syncline/public/x").status == 204)
            let missing = try get()
            #expect(missing.status == 404 && missing.body.contains("<Code>NoSuchKey</Code>"), "\(missing.body)")
        }
    }

    @Test("what differs from a known URL in anything that is signed is verified anew")
    func different() async throws {
        try await Self.with { server, client, time in
            let url = try Self.url(at: time.withLock { $0 })
            func status(
                _ url: String, _ headers: [String: String] = [:], method: String = "GET"
            ) throws -> Int { try BucketTests.askUnsigned(client, method, url, headers: headers).status }
            #expect(try status(url) == 200 && status(url) == 200)
            #expect(try status(url, method: "HEAD") == 403)
            #expect(try status(url.replacing("public/x", with: "public/y")) == 403)
            #expect(try status(url + "&response-content-type=text%2Fhtml") == 403)
            #expect(try client.ask("GET", url, headers: ["Host": "localhost:80"]).status == 403)
            #expect(try status(url, ["x-amz-checksum-mode": "ENABLED"]) == 403)
            #expect(try status(url, ["Authorization": "AWS4-HMAC-SHA256 Credential=x"]) == 400)
            #expect(try status(url) == 200)
            // Another spelling of the same URL is valid too.
            #expect(try status(url.replacing("public/x", with: "public%2Fx")) == 200)
        }
    }

    @Test("a URL is valid until it expires, also if it is known")
    func expired() async throws {
        try await Self.with { server, client, time in
            let url = try Self.url(at: time.withLock { $0 })
            func get() throws -> Client.Answer { try BucketTests.askUnsigned(client, "GET", url) }
            #expect(try get().status == 200 && get().status == 200)
            time.withLock { $0 += 60 }
            #expect(try get().status == 200)
            time.withLock { $0 += 1 }
            let answer = try get()
            #expect(answer.status == 403 && answer.body.contains("Request has expired"), "\(answer.body)")
            // The clock was set back.
            time.withLock { $0 -= 2_000 }
            #expect(try get().status == 403)
        }
    }

    @Test("an access key that is changed or removed refuses its URLs at once")
    func revoked() async throws {
        for change in [
            { (keys: inout [AccessKey]) in keys[1].secret = "changed" }, { keys in keys.remove(at: 1) },
            { keys in keys[1].services = ["execute-api"] },
        ] {
            try await Self.with { server, client, time in
                let signer = RequestSigner(
                    accessKeyID: "AKIAVIEWER", secret: "viewer", region: "us-east-1", service: "s3")
                let url = try Self.url(by: signer, at: time.withLock { $0 })
                for _ in 0..<2 { #expect(try BucketTests.askUnsigned(client, "GET", url).status == 200) }
                #expect(Self.count(server) == 1)
                var configuration = server.configuration
                change(&configuration.userPools.accessKeys)
                try await server.service.reloadServices(configuration, server.service.summary)
                #expect(try BucketTests.askUnsigned(client, "GET", url).status == 403)
            }
        }
    }

    @Test("changed permissions and the end of credentials apply to known URLs")
    func permissions() async throws {
        try await Self.with { server, client, time in
            let guest = try Identity.guest(client)
            let url = try Self.url(by: guest.signer, at: time.withLock { $0 })
            func get() throws -> Client.Answer { try BucketTests.askUnsigned(client, "GET", url) }
            for _ in 0..<2 { #expect(try get().body == "hello") }
            #expect(Self.count(server) == 1)
            var configuration = server.configuration
            configuration.storage = Self.storage(guests: "[]")
            try await server.service.reloadServices(configuration, server.service.summary)
            #expect(try get().body.contains("<Code>AccessDenied</Code>"))
            configuration.storage = Self.storage(guests: #"["READ"]"#)
            try await server.service.reloadServices(configuration, server.service.summary)
            #expect(try get().body == "hello")
            // Later than the hour of the credentials, though not than the URL's own time.
            let late = try Self.url(by: guest.signer, at: time.withLock { $0 } + 3_590)
            time.withLock { $0 += 3_595 }
            #expect(try BucketTests.askUnsigned(client, "GET", late).body == "hello")
            time.withLock { $0 += 10 }
            #expect(try BucketTests.askUnsigned(client, "GET", late).body.contains("<Code>ExpiredToken</Code>"))
        }
    }

    @Test("URLs that sign other headers than Host, and those of signature version 2, are not kept")
    func otherForms() async throws {
        try await Self.with { server, client, time in
            let headers = [("x-amz-checksum-mode", "ENABLED")]
            let url = try Self.url(headers: headers, at: time.withLock { $0 })
            for _ in 0..<2 {
                let answer = try BucketTests.askUnsigned(
                    client, "GET", url, headers: Dictionary(uniqueKeysWithValues: headers))
                #expect(answer.status == 200, "\(answer.body)")
            }
            #expect(try BucketTests.askUnsigned(client, "GET", url).status == 403)
            #expect(Self.count(server) == 0)
        }
    }

    @Test("a plain read is answered as any other read of the whole object, unsigned or by a known URL")
    func plain() async throws {
        let storage = #"{"name": "media", "anonymousRead": ["public/"], "baseHosts": ["s3.example.test"]}"#
        try await BucketTests.with(storage: storage) { server in
            let client = try server.connect()
            let bodies = ["", "hello", String(repeating: "long ", count: 20_000)]
            let headers = [
                ("Content-Type", "text/plain"), ("Content-Encoding", "br"), ("Cache-Control", "max-age=1"),
                ("x-amz-meta-a", "b"), ("x-amz-meta-c", "caf\u{E9}"), ("x-amz-tagging", "k=v"),
            ]
            for (body, headers) in [(bodies[0], headers), (bodies[1], []), (bodies[1], headers), (bodies[2], headers)] {
                let put = try BucketTests.ask(client, "PUT", "/media/public/a%20b", headers: headers, body: body)
                #expect(put.status == 200, "\(put.body)")
                for (host, path) in [("localhost", "/media/public/a%20b"), ("media.s3.example.test", "/public/a%20b")] {
                    var signed = SignedRequest(
                        method: "GET", path: path, query: "x-id=GetObject", headers: [("Host", host)])
                    try Self.owner.presign(&signed, now: Int64(Date().timeIntervalSince1970), expiresSeconds: 60)
                    for target in [path, "\(path)?\(signed.query)"] {
                        func get(_ headers: [String: String] = [:]) throws -> Client.Answer {
                            let headers = headers.merging(["Host": host, "accept-encoding": "gzip"]) { own, _ in own }
                            return try client.ask("GET", target, headers: headers)
                        }
                        let usual = try get(["If-Match": "*"])
                        let usualLines = Self.lines(usual)
                        #expect(usual.status == 200 && usual.body == body && usualLines.count > 5)
                        for _ in 0..<2 {
                            let answer = try get()
                            #expect(answer.status == 200 && answer.body == body)
                            #expect(Self.lines(answer) == usualLines)
                            for name in ["x-amz-request-id", "x-amz-id-2"] {
                                #expect(answer[name].count == 1 && answer[name] != usual[name])
                            }
                        }
                        #expect(try get(["Range": "bytes=0-0"]).status == (body.isEmpty ? 416 : 206))
                        #expect(try get(["If-None-Match": "*"]).status == 304)
                    }
                }
            }
        }
    }

    /// The header lines of an answer without those of the moment.
    private static func lines(_ answer: Client.Answer) -> Set<String> {
        let varying: Set = ["date", "x-amz-request-id", "x-amz-id-2"]
        return Set(answer.headers.filter { !varying.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" })
    }

    @Test("what is kept has a bound, and what was used last stays")
    func bound() throws {
        let urls = PresignedURLs(bytesMax: 10_000)
        func target(_ number: Int) throws -> PresignedURLs.Target {
            try #require(PresignedURLs.Target("GET", "h", "/b/\(number)", String(repeating: "q", count: 100)))
        }
        let verified = try Self.verified(secret: "S")
        urls.keep(verified, of: try target(-1))
        for number in 0..<1_000 {
            urls.keep(verified, of: try target(number))
            #expect(urls.verified(try target(-1)) != nil)
            #expect(urls.count <= 2 * 10_000 / 500)
        }
        #expect(try urls.verified(target(999)) != nil && urls.verified(target(0)) == nil)
    }

    private static func verified(query: String = "", secret: String) throws -> PresignedURLs.Verified {
        let request = S3Request(
            method: "GET", path: "/b/1", query: query, host: "h", headers: [], id: "", sourceAddress: "")
        return PresignedURLs.Verified(
            read: try #require(ObjectRead(RoutedRequest(request, BucketLimits()))),
            proof: .init(
                signer: .accessKey(AccessKey(id: "A", secret: secret)), caller: .anonymous, seconds: 0...1))
    }

    @Test("parameters and credentials count in the bound")
    func boundOfContents() throws {
        let parameters = (0..<400).map { "x-p\($0)=" }.joined(separator: "&")
        for verified in [
            try Self.verified(query: parameters, secret: "S"),
            try Self.verified(secret: String(repeating: "s", count: 10_000)),
        ] {
            let urls = PresignedURLs(bytesMax: 50_000)
            for number in 0..<100 {
                let target = PresignedURLs.Target("GET", "h", "/b/\(number)", String(repeating: "q", count: 100))
                urls.keep(verified, of: try #require(target))
            }
            #expect(1...2 * 50_000 / 10_000 ~= urls.count)
        }
    }

    @Test("URLs of other operations, and of none that there is, are not kept")
    func otherOperations() async throws {
        try await Self.with { server, client, time in
            for (query, status) in [("acl", 200), ("uploadId=1", 404), ("unknown=1", 501), ("versionId=2", 400)] {
                let url = try Self.url(query: query, at: time.withLock { $0 })
                for _ in 0..<2 {
                    let answer = try BucketTests.askUnsigned(client, "GET", url)
                    #expect(answer.status == status, "\(query) \(answer.body)")
                }
            }
            #expect(Self.count(server) == 0)
        }
    }
}
