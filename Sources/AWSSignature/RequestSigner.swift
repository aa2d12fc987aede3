import Encodings

/// Signs requests by Signature Version 4, as a client of AWS does.
public struct RequestSigner: Sendable {
    /// The access key id.
    public let accessKeyID: String
    /// The secret access key.
    public let secret: String
    /// The session token of temporary credentials.
    public let sessionToken: String?
    /// The region, `us-east-1`.
    public let region: String
    /// The service, `cognito-idp`.
    public let service: String

    /// A signer by these credentials for one service in one region.
    public init(accessKeyID: String, secret: String, sessionToken: String? = nil, region: String, service: String) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }

    /// Adds `X-Amz-Date`, `X-Amz-Security-Token`, for S3 `X-Amz-Content-Sha256`, and `Authorization`, in place of those
    /// that are there.
    ///
    /// `now` is in seconds since 1970. Signed are all headers but those that a client or a proxy may change on the way.
    /// For S3 without `bodyHash` the payload is not signed; a content hash that the request has stays.
    public func sign(_ request: inout SignedRequest, now: Int64) throws(SignatureError) {
        let date = SigningDate(secondsSince1970: now)
        let scope = scope(date)
        request.removeHeaders(["authorization", "x-amz-date", "x-amz-security-token"])
        request.headers.append(("X-Amz-Date", date.text))
        if let sessionToken { request.headers.append(("X-Amz-Security-Token", sessionToken)) }
        if scope.isS3, request.values(ofHeader: SignatureV4.contentHash).isEmpty {
            request.headers.append(("X-Amz-Content-Sha256", request.bodyHash ?? SignatureV4.unsignedPayload))
        }
        let hash = scope.isS3 ? try request.value(ofHeader: SignatureV4.contentHash) : request.bodyHash
        let names = Self.signedHeaders(of: request)
        let signature = try signature(of: request, names, payloadHash: hash, date, scope)
        let authorization =
            "\(SignatureClaim.algorithm) Credential=\(accessKeyID)/\(scope.text), "
            + "SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
        request.headers.append(("Authorization", authorization))
    }

    /// Appends the parameters of a presigned URL to the query, which must have none of them yet.
    ///
    /// `now` is in seconds since 1970. The sender must send all signed headers with it.
    public func presign(
        _ request: inout SignedRequest, now: Int64, expiresSeconds: Int64
    ) throws(SignatureError) {
        guard 1...SignatureLimits.expiresSecondsMax ~= expiresSeconds else { throw .malformedPart(.expires) }
        let date = SigningDate(secondsSince1970: now)
        let scope = scope(date)
        let names = Self.signedHeaders(of: request)
        var parameters = [
            ("X-Amz-Algorithm", SignatureClaim.algorithm), ("X-Amz-Credential", "\(accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", date.text), ("X-Amz-Expires", "\(expiresSeconds)"),
            ("X-Amz-SignedHeaders", names.joined(separator: ";")),
        ]
        if let sessionToken { parameters.append(("X-Amz-Security-Token", sessionToken)) }
        var presigned = request
        for (name, value) in parameters { presigned.appendParameter(name, value) }
        let hash =
            scope.isS3
            ? try request.value(ofHeader: SignatureV4.contentHash) ?? SignatureV4.unsignedPayload : request.bodyHash
        let signature = try signature(of: presigned, names, payloadHash: hash, date, scope)
        presigned.appendParameter("X-Amz-Signature", signature)
        request = presigned
    }
}

extension RequestSigner {
    private func scope(_ date: SigningDate) -> CredentialScope {
        CredentialScope(day: date.day, region: region, service: service)
    }

    private func signature(
        of request: SignedRequest, _ names: [String], payloadHash: String?, _ date: SigningDate,
        _ scope: CredentialScope
    ) throws(SignatureError) -> String {
        guard let payloadHash else { throw .missingPart(.payloadHash) }
        guard names.contains("host") else { throw .hostNotSigned }
        guard names.count <= SignatureLimits.signedHeadersMax else { throw .tooManySignedHeaders }
        let canonical = try CanonicalRequest(
            request, query: try QueryParameters(request.query), signedHeaders: names, payloadHash: payloadHash,
            isS3: scope.isS3)
        return SigningKey(secret: secret, scope: scope)
            .signature(of: canonical.stringToSign(date: date, scope: scope))
    }

    private static func signedHeaders(of request: SignedRequest) -> [String] {
        Set(request.headers.map(\.name.asciiLowercased)).subtracting(unsignedHeaders)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Fields of the connection, fields that HTTP libraries and proxies add or change, and the signature's own.
    private static let unsignedHeaders: Set<String> = [
        "accept-encoding", "amz-sdk-invocation-id", "amz-sdk-request", "authorization", "connection", "expect",
        "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
        "user-agent", "x-amzn-trace-id",
    ]
}

extension SignedRequest {
    fileprivate mutating func removeHeaders(_ names: Set<String>) {
        headers.removeAll { names.contains($0.name.asciiLowercased) }
    }

    fileprivate mutating func appendParameter(_ name: String, _ value: String) {
        query += (query.isEmpty ? "" : "&") + "\(name)=\(Percent.encode(value))"
    }
}
