@testable import AWSSignature

/// The credentials, the moment and the requests of the vectors, which botocore reproduces.
enum Example {
    static let accessKeyID = "ASIAEXAMPLEKEY000001"
    static let secret = "secretEXAMPLE+/key"
    static let token = "tok+/=EXAMPLE"
    /// 2026-01-02T03:04:05Z.
    static let now: Int64 = 1_767_323_045
    static let emptyHash = SignedRequest.bodyHash(of: [])

    static func signer(service: String, token: String? = Example.token) -> RequestSigner {
        RequestSigner(
            accessKeyID: accessKeyID, secret: secret, sessionToken: token, region: "us-east-1", service: service)
    }

    /// GET of an object with a range, not signed yet.
    static var getObject: SignedRequest {
        SignedRequest(
            method: "GET", path: "/media/public/a%20b%2Bc%C3%A9.jpg",
            headers: [("Host", "localhost:9000"), ("Range", "bytes=0-99"), ("x-amz-content-sha256", emptyHash)],
            bodyHash: emptyHash)
    }

    /// GET of an object by a presigned URL, not signed yet.
    static var presignedObject: SignedRequest {
        SignedRequest(
            method: "GET", path: "/media/public/a%20b%2Bc%C3%A9.jpg", headers: [("Host", "localhost:9000")])
    }

    /// A signed call of a user pool.
    static func listUsers() throws -> SignedRequest {
        var request = SignedRequest(
            method: "POST", path: "/", query: "b=2&a=1",
            headers: [
                ("Host", "localhost:9000"), ("Content-Type", "application/x-amz-json-1.1"),
                ("X-Amz-Target", "AWSCognitoIdentityProviderService.ListUsers"), ("User-Agent", "test"),
            ], bodyHash: SignedRequest.bodyHash(of: Array("{}".utf8)))
        try signer(service: "cognito-idp").sign(&request, now: now)
        return request
    }

    /// A signed GET of an object.
    static func signedObject() throws -> SignedRequest {
        var request = getObject
        try signer(service: "s3").sign(&request, now: now)
        return request
    }

    /// A GET of an object by a presigned URL that is valid for 3,000 seconds.
    static func presigned() throws -> SignedRequest {
        var request = presignedObject
        try signer(service: "s3").presign(&request, now: now, expiresSeconds: 3_000)
        return request
    }

    /// Reads the signature and verifies it; nil when it is valid.
    static func error(
        of request: SignedRequest, secret: String = secret, now: Int64 = now, service: String = "s3",
        region: String? = nil
    ) -> SignatureError? {
        do {
            let signature = try SignatureV4(of: request)
            try signature.verify(secret: secret, now: now, expectedService: service, expectedRegion: region)
            return nil
        } catch { return error }
    }
}

extension SignedRequest {
    /// The request with another value of a header, in place of the one that it has.
    func with(_ name: String, _ value: String?) -> SignedRequest {
        var request = self
        request.headers.removeAll { $0.name.isEqual(ignoringASCIICase: name) }
        if let value { request.headers.append((name, value)) }
        return request
    }

    /// The request with a part of a header's value or of the query replaced.
    func replacing(_ part: String, by other: String, in header: String? = nil) -> SignedRequest {
        var request = self
        guard let header else {
            request.query = query.replacing(part, with: other)
            return request
        }
        for index in headers.indices where headers[index].name.isEqual(ignoringASCIICase: header) {
            request.headers[index].value = headers[index].value.replacing(part, with: other)
        }
        return request
    }
}
