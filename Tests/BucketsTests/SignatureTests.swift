import AWSSignature
import Encodings
import Testing

@testable import Buckets

@Suite("Signatures of requests to buckets")
struct SignatureTests {
    private static let (key, secret, token) = ("ASIAEXAMPLEKEY000001", "secretEXAMPLE+/key", "tok+/=EXAMPLE")
    /// 2026-01-02T03:04:05Z.
    private static let now: Int64 = 1_767_323_045
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let scope = "20260102/us-east-1/s3/aws4_request"
    private static let path = "/media/public/a%20b%2Bc%C3%A9.jpg"

    private func verify(
        _ request: S3Request, secret: String = secret, now: Int64 = now, region: String? = nil
    ) throws(S3Error) -> S3Payload {
        guard let signature = try S3Signature(request) else { throw .accessDenied }
        return try signature.verify(
            secret: secret, now: now, region: region, keys: SigningKeyCache())
    }

    private func error(_ body: () throws(S3Error) -> S3Payload) -> S3Error? {
        do throws(S3Error) {
            _ = try body()
            return nil
        } catch { return error }
    }

    private func signedByHeader(_ extra: [(String, String)] = []) -> S3Request {
        BucketStage.request(
            "GET", Self.path,
            [
                ("Range", "bytes=0-99"), ("x-amz-content-sha256", Self.emptyHash), ("x-amz-date", "20260102T030405Z"),
                ("x-amz-security-token", Self.token),
                (
                    "Authorization",
                    "AWS4-HMAC-SHA256 Credential=\(Self.key)/\(Self.scope), "
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-security-token, "
                        + "Signature=333e04470836acb96c983e2aece07d51bd7fe6a245e1db05f9513bb6c766560d"
                ),
            ] + extra, host: "localhost:9000")
    }

    private func presigned(_ method: String = "GET") -> S3Request {
        // As amplify-swift writes it: the token at the end, its hyphens escaped.
        let query =
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=\(Percent.encode("\(Self.key)/\(Self.scope)"))"
            + "&X-Amz-Date=20260102T030405Z&X-Amz-Expires=3000&X-Amz-SignedHeaders=host"
            + "&X-Amz-Signature=3885f7cc249d031caeeeae65e0b7ca4dbe15808da4fcd069ca74958670c9a20f"
            + "&X-Amz-Security-Token=\(Percent.encode(Self.token))"
        return BucketStage.request(method, "\(Self.path)?\(query)", host: "localhost:9000")
    }

    @Test("a signature in the headers is verified, and says what is signed of the body")
    func headers() throws {
        let signature = try #require(try S3Signature(signedByHeader()))
        #expect(signature.accessKeyID == Self.key && signature.sessionToken == Self.token)
        guard case .hash(Self.emptyHash) = try verify(signedByHeader()) else {
            Issue.record("the hash of the body is signed")
            return
        }
    }

    @Test("a presigned URL is verified for its method, until it expires")
    func presigned() throws {
        guard case .unsigned = try verify(presigned()) else {
            Issue.record("the body of a presigned URL is not signed")
            return
        }
        #expect(error { () throws(S3Error) in try verify(presigned("HEAD")) }?.code == "SignatureDoesNotMatch")
        let expired = error { () throws(S3Error) in try verify(presigned(), now: Self.now + 3_001) }
        #expect(expired?.code == "AccessDenied" && expired?.message == "Request has expired")
        #expect(
            expired?.details == [
                .init("X-Amz-Expires", "3000"), .init("Expires", "2026-01-02T03:54:05Z"),
                .init("ServerTime", "2026-01-02T03:54:06Z"),
            ])
    }

    @Test("each refusal has S3's code and what helps to find the cause")
    func refusals() {
        let wrong = error { () throws(S3Error) in try verify(signedByHeader(), secret: "other") }
        #expect(wrong?.code == "SignatureDoesNotMatch" && wrong?.status == 403)
        #expect(
            wrong?.details.map(\.name) == ["AWSAccessKeyId", "StringToSign", "SignatureProvided", "CanonicalRequest"])
        let region = error { () throws(S3Error) in try verify(signedByHeader(), region: "eu-west-1") }
        #expect(region?.code == "AuthorizationHeaderMalformed" && region?.details == [.init("Region", "eu-west-1")])
        let skewed = error { () throws(S3Error) in try verify(signedByHeader(), now: Self.now + 901) }
        #expect(skewed?.code == "RequestTimeTooSkewed")
        let unsigned = error { () throws(S3Error) in try verify(signedByHeader([("x-amz-copy-source", "a/b")])) }
        #expect(
            unsigned?.code == "AccessDenied" && unsigned?.details == [.init("HeadersNotSigned", "x-amz-copy-source")])
        let cases: [(String, [(String, String)], String)] = [
            ("/media/k", [("Authorization", "AWS AKIA:c2ln")], "NotImplemented"),
            ("/media/k", [("Authorization", "Bearer x")], "InvalidRequest"),
            ("/media/k", [("Authorization", "AWS4-HMAC-SHA256 Credential=x")], "AuthorizationHeaderMalformed"),
            ("/media/k?X-Amz-Signature=00&X-Amz-Algorithm=AWS4-HMAC-SHA256", [], "AuthorizationQueryParametersError"),
            ("/media/k?X-Amz-Signature=00", [("Authorization", "AWS4-HMAC-SHA256 x")], "InvalidArgument"),
            ("/media/k?AWSAccessKeyId=AKIA&Signature=c2ln", [], "AccessDenied"),
        ]
        for (target, headers, code) in cases {
            let request = BucketStage.request("GET", target, headers)
            #expect(error { () throws(S3Error) in try verify(request) }?.code == code, "\(target) \(headers)")
        }
    }

    @Test(
        "a refused signature is explained by the name that the client wrote: a parameter, or a component of the header")
    func words() {
        let scope = Percent.encode("AKIA/\(Self.scope)")
        let query: [(String, String)] = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", scope), ("X-Amz-Date", "20260102T030405Z"),
            ("X-Amz-Expires", "60"), ("X-Amz-SignedHeaders", "host"),
            ("X-Amz-Signature", String(repeating: "0", count: 64)),
        ]
        for (name, _) in query {
            let rest = query.filter { $0.0 != name }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
            let error = error { () throws(S3Error) in try verify(BucketStage.request("GET", "/media/k?\(rest)")) }
            #expect(error?.code == "AuthorizationQueryParametersError" && error?.status == 400)
            #expect(error?.message.hasSuffix(" parameters. \(name) is missing.") == true, "\(error?.message ?? "")")
        }
        for (name, value) in [
            ("X-Amz-Credential", "AKIA"), ("X-Amz-Date", "today"), ("X-Amz-Expires", "0"), ("X-Amz-Signature", "x"),
            ("X-Amz-SignedHeaders", "x;host"),
        ] {
            let changed = query.map { "\($0.0)=\($0.0 == name ? value : $0.1)" }.joined(separator: "&")
            let error = error { () throws(S3Error) in try verify(BucketStage.request("GET", "/media/k?\(changed)")) }
            #expect(error?.code == "AuthorizationQueryParametersError" && error?.message.contains(name) == true)
        }
        let header = "AWS4-HMAC-SHA256 Credential=AKIA/\(Self.scope), SignedHeaders=host, Signature="
        for (value, words) in [
            ("AWS4-HMAC-SHA256 SignedHeaders=host, Signature=0", "Credential is missing."),
            (header, "Signature is mal-formed"),
            (header.replacing("us-east-1/", with: "") + "0", "the Credential is mal-formed; expecting"),
            ("AWS4-HMAC-SHA256 x", "requires three components"),
        ] {
            let request = BucketStage.request(
                "GET", "/media/k", [("Authorization", value), ("x-amz-date", "20260102T030405Z")])
            let error = error { () throws(S3Error) in try verify(request) }
            #expect(error?.code == "AuthorizationHeaderMalformed", "\(value)")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        let old = error { () throws(S3Error) in
            try verify(BucketStage.request("GET", "/media/k?AWSAccessKeyId=AKIA&Signature=c2ln"))
        }
        #expect(
            old?.message
                == "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters. Expires is missing."
        )
        let region = error { () throws(S3Error) in try verify(signedByHeader(), region: "eu-west-1") }
        #expect(region?.message.hasSuffix("the region 'us-east-1' is wrong; expecting 'eu-west-1'") == true)
    }

    @Test("a presigned URL of signature version 2 is verified, and one that was changed is not")
    func versionTwo() throws {
        // HMAC-SHA1 of "GET\n\n\n1767326645\n/media/public/a%20b.jpg", as Python's hmac gives it.
        let signature = Percent.encode("oJ6WtYEpSY+1MxThzI66NEc6gTI=")
        let target = "/media/public/a%20b.jpg?AWSAccessKeyId=AKIAEXAMPLE&Expires=1767326645&Signature=\(signature)"
        guard case .unsigned = try verify(BucketStage.request("GET", target)) else {
            Issue.record("the body of a presigned URL is not signed")
            return
        }
        let put = error { () throws(S3Error) in try verify(BucketStage.request("PUT", target)) }
        #expect(put?.code == "SignatureDoesNotMatch")
        let zero = Percent.encode(Base64.encode([UInt8](repeating: 0, count: 20)))
        let wrong = BucketStage.request("GET", "/media/k?AWSAccessKeyId=AKIA&Expires=1767326645&Signature=\(zero)")
        let mismatch = error { () throws(S3Error) in try verify(wrong) }
        #expect(mismatch?.code == "SignatureDoesNotMatch")
        #expect(mismatch?.details.last == .init("StringToSign", "GET\n\n\n1767326645\n/media/k"))
        let expired = error { () throws(S3Error) in try verify(wrong, now: 1_767_326_646) }
        #expect(expired?.message == "Request has expired")
    }

    @Test("a request without a signature has none")
    func anonymous() throws {
        #expect(try S3Signature(BucketStage.request("GET", "/media/k?x-id=GetObject")) == nil)
    }

    @Test("a body of signed chunks is stored by the signature of its request")
    func chunks() async throws {
        let stage = try await BucketStage()
        let headers = [
            ("Content-Encoding", "aws-chunked"), ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
            ("x-amz-date", "20260102T030405Z"), ("x-amz-decoded-content-length", "11"),
            ("x-amz-trailer", "x-amz-checksum-crc32"),
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(Self.key)/\(Self.scope), SignedHeaders=content-encoding;host;"
                    + "x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-trailer, "
                    + "Signature=88ae4d14660b8e569d2ce659f85125a4c91f5b4412f868f321b8b750ae2c61ba"
            ),
        ]
        let request = BucketStage.request("PUT", "/media/k", headers, host: "localhost:9000")
        let payload = try verify(request)
        let body =
            "b;chunk-signature=74e4f45804ed450dae1e455a50d467fbf61f0b83a89a9f72bb91cd32bb42b759\r\nhello world\r\n"
            + "0;chunk-signature=3847581806ddc53b29dc0e49f812156e81d7e77f6299a2823c712b5833955f11\r\n"
            + "x-amz-checksum-crc32:DUoRhQ==\r\n"
            + "x-amz-trailer-signature:f0fac2c9dec9f7e8c929edec5f0ec8a79e3db51ebedc277f4b84b870bfdc8e00\r\n\r\n"
        for (text, status) in [(body.replacing("hello", with: "jello"), 403), (body, 200)] {
            let response = await stage.buckets.respond(
                to: request, from: BucketStage.operatorCaller, payload: payload,
                body: BucketStage.body(Array(text.utf8), partBytes: 10))
            #expect(response.status == status)
        }
        #expect(await stage.call("GET", "/media/k").text == "hello world")
    }
}
