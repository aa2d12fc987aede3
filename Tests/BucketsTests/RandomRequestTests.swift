import Testing

@testable import Buckets

@Suite("Requests at random")
struct RandomRequestTests {
    private static let methods = ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]
    private static let paths = [
        "", "/", "/media", "/media/", "/media/k", "/media/public/a", "/media/%F0%9F%8F%9E", "/media/%", "/media/a%00",
        "/none/k", "//", "/new-bucket", "*", "/media/private/us-east-1:jane/x",
    ]
    private static let parameters = [
        "list-type=2", "prefix=p", "prefix=%FF", "delimiter=/", "max-keys=2", "max-keys=-1",
        "max-keys=99999999999999999999",
        "uploads", "uploadId=x", "uploadId=", "partNumber=1", "partNumber=0", "partNumber=x", "acl", "cors", "tagging",
        "delete", "location", "versioning", "versionId=null", "versionId=1", "lifecycle", "continuation-token=AGE",
        "continuation-token=_", "start-after=%F4%8F%BF%BF", "marker=public/", "encoding-type=url", "key-marker=k",
        "upload-id-marker=x", "max-parts=1", "x-id=GetObject", "response-content-type=a%0Ab", "x-amz-meta-a=1", "&&=",
        "%",
    ]
    private static let headers = [
        ("Range", "bytes=0-"), ("Range", "bytes=-1"), ("Range", "bytes=9223372036854775807-"),
        ("Range", "bytes=0-9223372036854775807"), ("If-Match", "*"), ("If-None-Match", "*"), ("If-Match", "\"x\""),
        ("If-Modified-Since", "Fri, 15 Jan 2027 08:00:00 GMT"), ("If-Range", "\"x\""), ("Content-MD5", "x"),
        ("x-amz-copy-source", "media/public/a"), ("x-amz-copy-source", "%"), ("x-amz-copy-source-range", "bytes=0-0"),
        ("x-amz-metadata-directive", "REPLACE"), ("x-amz-metadata-directive", "x"), ("x-amz-tagging", "a=b&=&c"),
        ("x-amz-checksum-crc32", "AAAAAA=="), ("x-amz-checksum-sha1", "x"), ("x-amz-sdk-checksum-algorithm", "CRC32C"),
        ("x-amz-checksum-algorithm", "SHA1"), ("x-amz-checksum-type", "FULL_OBJECT"), ("x-amz-acl", "private"),
        ("x-amz-decoded-content-length", "3"), ("x-amz-decoded-content-length", "-3"),
        ("x-amz-trailer", "x-amz-checksum-crc32"),
        ("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET"), ("x-amz-meta-é", "x"),
        ("Authorization", "AWS4-HMAC-SHA256 x"), ("Content-Encoding", "aws-chunked,,gzip"),
        ("x-amz-checksum-mode", "ENABLED"),
    ]
    private static let bodies = [
        "", "abc", "3\r\nabc\r\n0\r\n\r\n", "<Delete><Object><Key>k</Key></Object></Delete>",
        "<Tagging><TagSet/></Tagging>",
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>",
        "<CreateBucketConfiguration/>", "<CORSConfiguration/>", "<",
    ]

    @Test("whatever is asked is answered, by S3's errors and never by one of the server's own")
    func random() async throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        let stage = try await BucketStage()
        await stage.put("public/a", "hello")
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        for _ in 0..<3_000 {
            func some<Element>(_ list: [Element], _ countMax: Int) -> [Element] {
                (0..<Int.random(in: 0...countMax, using: &generator)).compactMap { _ in
                    list.randomElement(using: &generator)
                }
            }
            let query = some(Self.parameters, 3).joined(separator: "&")
            let target = (Self.paths.randomElement(using: &generator) ?? "") + (query.isEmpty ? "" : "?\(query)")
            let method = Self.methods.randomElement(using: &generator) ?? ""
            let headers = some(Self.headers, 3)
            let body = Array((Self.bodies.randomElement(using: &generator) ?? "").utf8)
            let payload: S3Payload =
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: .chunked(nil, hasTrailer: true)
                case 1: .chunked(nil, hasTrailer: false)
                case 2: .hash(String(repeating: "0", count: 64))
                default: .unsigned
                }
            let caller =
                [BucketStage.operatorCaller, BucketStage.jane, BucketStage.guest, .anonymous]
                .randomElement(using: &generator) ?? .anonymous
            let request = S3Request(
                method: method,
                path: target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? "",
                query: query, host: "localhost", headers: headers.map { (name: $0.0, value: $0.1) }, id: "R",
                sourceAddress: "::1")
            let now = stage.buckets.respondNow(to: request, from: caller, reading: reader).map(BucketStage.answer)
            let answer = BucketStage.answer(
                await stage.buckets.respond(to: request, from: caller, payload: payload, body: BucketStage.body(body)))
            let what = "seed \(seed): \(method) \(target) \(headers) \(caller)"
            #expect(answer.status < 500 || answer.status == 501, "\(what): \(answer.text)")
            if let now { #expect(now.status == answer.status && now.body == answer.body, "\(what)") }
            if answer.status >= 400, method != "HEAD" {
                #expect(answer.element("Code") != nil && answer.element("RequestId") == "R", "\(what)")
            }
            _ = try? S3Signature(request)
        }
    }
}
