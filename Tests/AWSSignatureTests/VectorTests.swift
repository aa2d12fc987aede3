import Testing

@testable import AWSSignature

@Suite("Vectors of Signature Version 4")
struct VectorTests {
    @Test("a secret yields the signing key of its scope")
    func signingKey() {
        // The key 40f5db71f9ca8d36512ab7d83cf78f5b31c79ba86f5cdde9070a423420dc8f5d signs an empty string so.
        let scope = CredentialScope(day: "20260102", region: "us-east-1", service: "s3")
        let signature = SigningKey(secret: Example.secret, scope: scope).signature(of: "")
        #expect(signature == "b20e6663e3e2d9ad7bfe333ac43dd3dc49c2600a424f58a3eb631f9999943d52")
    }

    @Test("a signed header GET has the canonical request and the signature of the vector")
    func header() throws {
        let signature = try SignatureV4(of: Example.signedObject())
        let claim = signature.claim
        #expect(claim.signedHeaders == ["host", "range", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"])
        #expect(claim.signature == "333e04470836acb96c983e2aece07d51bd7fe6a245e1db05f9513bb6c766560d")
        let canonical = Array(try signature.canonicalRequest().utf8)
        #expect(
            SignedRequest.bodyHash(of: canonical) == "81174946c1e1893f52a3fafde339eb22c9bb056c4130a29a7b1a11510f85ebc3")
        #expect(claim.accessKeyID == Example.accessKeyID)
        #expect(claim.scope.text == "20260102/us-east-1/s3/aws4_request")
        #expect(claim.sessionToken == Example.token)
        #expect(claim.date.text == "20260102T030405Z")
        #expect(!claim.isPresigned)
        #expect(Example.error(of: try Example.signedObject()) == nil)
    }

    @Test("a presigned GET has the signature of the vector, wherever the parameters stand")
    func query() throws {
        let request = try Example.presigned()
        let signature = try SignatureV4(of: request)
        #expect(signature.claim.signature == "3885f7cc249d031caeeeae65e0b7ca4dbe15808da4fcd069ca74958670c9a20f")
        #expect(signature.claim.expiresSeconds == 3_000)
        #expect(signature.claim.sessionToken == Example.token)
        #expect(try signature.payloadHash() == "UNSIGNED-PAYLOAD")
        #expect(Example.error(of: request) == nil)
        var reversed = request
        reversed.query = request.query.split(separator: "&").reversed().joined(separator: "&")
        #expect(Example.error(of: reversed) == nil)
        // amplify-swift encodes everything in a token that is neither a letter nor a digit.
        let spelled = request.replacing("tok%2B%2F%3DEXAMPLE", by: "%74ok%2b%2f%3dEXAMPLE")
        #expect(spelled.query != request.query)
        #expect(Example.error(of: spelled) == nil)
    }

    @Test("the first signature of a body in signed chunks is that of the vector")
    func streaming() throws {
        var request = SignedRequest(
            method: "PUT", path: "/media/k",
            headers: [
                ("Host", "localhost:9000"), ("Content-Encoding", "aws-chunked"),
                ("X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
                ("X-Amz-Decoded-Content-Length", "11"), ("X-Amz-Trailer", "x-amz-checksum-crc32"),
            ])
        try Example.signer(service: "s3", token: nil).sign(&request, now: Example.now)
        let signature = try SignatureV4(of: request)
        #expect(signature.claim.signature == "88ae4d14660b8e569d2ce659f85125a4c91f5b4412f868f321b8b750ae2c61ba")
        #expect(try signature.payloadHash() == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")
        #expect(Example.error(of: request) == nil)
        let scope = signature.claim.scope
        let chunk = [
            "AWS4-HMAC-SHA256-PAYLOAD", "20260102T030405Z", scope.text, signature.claim.signature, Example.emptyHash,
            SignedRequest.bodyHash(of: Array("hello world".utf8)),
        ]
        #expect(
            SigningKey(secret: Example.secret, scope: scope).signature(of: chunk.joined(separator: "\n"))
                == "74e4f45804ed450dae1e455a50d467fbf61f0b83a89a9f72bb91cd32bb42b759")
    }

    @Test("a signing key derived before verifies what the secret verifies")
    func cachedKey() throws {
        let signature = try SignatureV4(of: Example.signedObject())
        let key = SigningKey(secret: Example.secret, scope: signature.claim.scope)
        try signature.verify(key: key, now: Example.now, expectedService: "s3")
        let other = SigningKey(secret: "another", scope: signature.claim.scope)
        #expect(throws: SignatureError.signatureMismatch) {
            try signature.verify(key: other, now: Example.now, expectedService: "s3")
        }
    }
}
