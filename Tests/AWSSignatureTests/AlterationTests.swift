import Testing

@testable import AWSSignature

@Suite("Altered requests")
struct AlterationTests {
    @Test("a change of any part of a signed call is refused")
    func call() throws {
        let request = try Example.listUsers()
        #expect(Example.error(of: request, service: "cognito-idp") == nil)
        var altered: [String: SignedRequest] = [:]
        for name in ["Host", "Content-Type", "X-Amz-Target"] { altered[name] = request.with(name, "other") }
        altered["security token"] = request.with("X-Amz-Security-Token", "other")
        altered["date"] = request.with("X-Amz-Date", "20260102T030406Z")
        altered["region"] = request.replacing("us-east-1", by: "us-east-2", in: "Authorization")
        altered["a second value"] = SignedRequest(
            method: request.method, path: request.path, query: request.query,
            headers: request.headers + [("content-type", "x")], bodyHash: request.bodyHash)
        for (name, change) in Self.changes { altered[name] = change(request) }
        altered["body"] = request
        altered["body"]?.bodyHash = Example.emptyHash
        for (name, altered) in altered {
            #expect(Example.error(of: altered, service: "cognito-idp") == .signatureMismatch, "\(name)")
        }
        // What is not signed may change on the way.
        #expect(Example.error(of: request.with("User-Agent", "other"), service: "cognito-idp") == nil)
        #expect(Example.error(of: request.with("X-Amzn-Trace-Id", "Root=1"), service: "cognito-idp") == nil)
    }

    @Test("a change of any part of a signed request to S3 is refused")
    func object() throws {
        let request = try Example.signedObject()
        var altered: [String: SignedRequest] = ["range": request.with("Range", "bytes=0-100")]
        for (name, change) in Self.changes { altered[name] = change(request) }
        altered["content hash"] = request.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
        for (name, altered) in altered { #expect(Example.error(of: altered) == .signatureMismatch, "\(name)") }
        var body = request
        body.bodyHash = SignedRequest.bodyHash(of: [1])
        #expect(Example.error(of: body) == .payloadHashMismatch)
        body.bodyHash = nil
        #expect(Example.error(of: body) == nil)
    }

    @Test("a change of any part of a presigned URL is refused")
    func presigned() throws {
        let request = try Example.presigned()
        var altered: [String: SignedRequest] = [:]
        for (name, change) in Self.changes { altered[name] = change(request) }
        for (part, other) in [
            ("000001%2F", "000002%2F"), ("us-east-1", "us-east-2"), ("20260102T030405Z", "20260102T030406Z"),
            ("Expires=3000", "Expires=3001"), ("tok%2B", "tok%21"),
        ] {
            altered[part] = request.replacing(part, by: other)
            #expect(altered[part]?.query != request.query, "\(part)")
        }
        altered["content hash"] = request.with("X-Amz-Content-Sha256", Example.emptyHash)
        for (name, altered) in altered { #expect(Example.error(of: altered) == .signatureMismatch, "\(name)") }
        var head = request
        head.method = "HEAD"
        #expect(Example.error(of: head) == .signatureMismatch)
    }

    /// Changes that every kind of signature notices.
    private static let changes: [(String, @Sendable (SignedRequest) -> SignedRequest)] = [
        ("method", { SignedRequest($0, method: "DELETE") }),
        ("path", { SignedRequest($0, path: $0.path + "x") }),
        ("a parameter more", { SignedRequest($0, query: $0.query + "&z=1") }),
        ("a name without a value more", { SignedRequest($0, query: $0.query + "&acl") }),
        ("host", { $0.with("Host", "localhost:9001") }),
        (
            "signature",
            { request in
                // One digit of the signature, in the header or the query.
                let digit = { (text: String) in
                    text.replacing(#/(Signature=)([0-9a-f])/#) { "\($0.1)\($0.2 == "0" ? "1" : "0")" }
                }
                var request = SignedRequest(request, query: digit(request.query))
                for index in request.headers.indices {
                    request.headers[index].value = digit(request.headers[index].value)
                }
                return request
            }
        ),
    ]

    @Test("an x-amz- header that is not signed is refused, except the content hash")
    func unsignedHeaders() throws {
        for request in [try Example.signedObject(), try Example.presigned()] {
            #expect(
                Example.error(of: request.with("X-AMZ-Copy-Source", "b/k")) == .headersNotSigned(["x-amz-copy-source"]))
        }
        var call = try Example.listUsers()
        call.headers.append(("x-amz-content-sha256", call.bodyHash ?? ""))
        #expect(Example.error(of: call, service: "cognito-idp") == nil)
        let object = try Example.signedObject()
        var lone = object.replacing("x-amz-content-sha256;", by: "", in: "Authorization")
        let signature = try SignatureV4(of: lone)
        let key = SigningKey(secret: Example.secret, scope: signature.claim.scope)
        lone = lone.replacing(
            signature.claim.signature, by: key.signature(of: try signature.stringToSign()), in: "Authorization")
        #expect(Example.error(of: lone) == nil)
        #expect(Example.error(of: lone.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD")) == .signatureMismatch)
    }

    @Test("a request to S3 declares its payload hash, in a known form")
    func payloadHash() throws {
        let request = try Example.signedObject()
        #expect(
            Example.error(of: request.with("x-amz-content-sha256", nil)) == .signedHeaderMissing("x-amz-content-sha256")
        )
        #expect(
            Example.error(of: request.with("x-amz-content-sha256", "anything")) == .malformedPart(.payloadHash))
        var twice = request
        twice.headers.append(("X-Amz-Content-SHA256", Example.emptyHash))
        #expect(Example.error(of: twice) == .repeatedHeader("x-amz-content-sha256"))
        var presigned = Example.presignedObject
        presigned.query = "X-Amz-Content-SHA256=\(Example.emptyHash)"
        try Example.signer(service: "s3").presign(&presigned, now: Example.now, expiresSeconds: 60)
        #expect(try SignatureV4(of: presigned).payloadHash() == Example.emptyHash)
        #expect(
            Example.error(of: presigned.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD"))
                == .duplicatePart(.payloadHash))
        var call = try Example.listUsers()
        call.bodyHash = nil
        #expect(Example.error(of: call, service: "cognito-idp") == .missingPart(.payloadHash))
    }

    @Test("a credential of another service, region or day is refused")
    func scope() throws {
        let request = try Example.listUsers()
        #expect(Example.error(of: request, service: "cognito-identity") == .wrongService("cognito-idp"))
        #expect(
            Example.error(of: request, service: "cognito-idp", region: "eu-west-1") == .wrongRegion("us-east-1"))
        #expect(Example.error(of: request, service: "cognito-idp", region: "us-east-1") == nil)
        let day = request.replacing("/20260102/", by: "/20260103/", in: "Authorization")
        #expect(Example.error(of: day, service: "cognito-idp") == .dayMismatch)
    }
}

extension SignedRequest {
    fileprivate init(
        _ request: SignedRequest, method: String? = nil, path: String? = nil, query: String? = nil
    ) {
        self = request
        self.method = method ?? request.method
        self.path = path ?? request.path
        self.query = query ?? request.query
    }
}
