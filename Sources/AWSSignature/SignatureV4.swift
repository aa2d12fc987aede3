/// AWS Signature Version 4 of a request: read first, verified when the secret is known.
///
/// AWS, "AWS Signature Version 4 for API requests" (IAM User Guide).
public struct SignatureV4: Sendable {
    /// The request as sent.
    public let request: SignedRequest
    /// What the request says about its signature.
    public let claim: SignatureClaim
    private let query: QueryParameters

    /// Reads the signature in the Authorization header or the query. It throws `missing` when neither has one.
    public init(of request: SignedRequest) throws(SignatureError) {
        let query = try QueryParameters(request.query)
        let authorization = try request.value(ofHeader: "authorization")
        switch (authorization, Self.isPresigned(query)) {
        case (nil, false): throw .missing
        case (_?, true): throw .multipleMechanisms
        case (let authorization?, false): claim = try SignatureClaim(authorization: authorization, of: request)
        case (nil, true): claim = try SignatureClaim(query: query)
        }
        self.request = request
        self.query = query
        guard try request.value(ofHeader: "host") != nil else { throw .signedHeaderMissing("host") }
        try checkSignedHeaders()
    }

    static func isPresigned(_ query: QueryParameters) -> Bool {
        ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"].contains(where: query.contains)
    }

    /// Verifies the signature by the secret of `claim.accessKeyID`.
    ///
    /// `now` is in seconds since 1970. Where `expectedRegion` is nil, every region is accepted.
    public func verify(
        secret: String, now: Int64, expectedService: String, expectedRegion: String? = nil
    ) throws(SignatureError) {
        try checkScope(expectedService, expectedRegion)
        try checkTime(now)
        try verify(SigningKey(secret: secret, scope: claim.scope))
    }

    /// Verifies the signature by a signing key that was derived before, for the scope of `claim`.
    public func verify(
        key: SigningKey, now: Int64, expectedService: String, expectedRegion: String? = nil
    ) throws(SignatureError) {
        precondition(key.scope == claim.scope, "a signing key verifies signatures of its own scope")
        try checkScope(expectedService, expectedRegion)
        try checkTime(now)
        try verify(key)
    }

    /// The canonical request, which AWS shows in SignatureDoesNotMatch.
    public func canonicalRequest() throws(SignatureError) -> String { try canonical().text }

    /// The string to sign, which AWS shows in SignatureDoesNotMatch.
    public func stringToSign() throws(SignatureError) -> String {
        try canonical().stringToSign(date: claim.date, scope: claim.scope)
    }

    /// The last line of the canonical request.
    ///
    /// For S3 the literal value of `x-amz-content-sha256`: a hash of 64 digits, `UNSIGNED-PAYLOAD` or a word that
    /// begins with `STREAMING-`. A presigned URL without it has an unsigned payload. For other services the hash of the
    /// body.
    public func payloadHash() throws(SignatureError) -> String {
        guard claim.scope.isS3 else {
            guard let hash = request.bodyHash else { throw .missingPart(.payloadHash) }
            return hash
        }
        let header = try request.value(ofHeader: Self.contentHash)?.trimmingBlanks
        let parameter = claim.isPresigned ? try contentHashParameter() : nil
        if let header, let parameter, !header.hasBytes(of: parameter) { throw .duplicatePart(.payloadHash) }
        guard let hash = header ?? parameter ?? (claim.isPresigned ? Self.unsignedPayload : nil) else {
            throw .missingPart(.payloadHash)
        }
        guard Self.isHash(hash) || hash == Self.unsignedPayload || hash.utf8.starts(with: "STREAMING-".utf8) else {
            throw .malformedPart(.payloadHash)
        }
        return hash
    }
}

// MARK: - Checks

extension SignatureV4 {
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    static let contentHash = "x-amz-content-sha256"

    /// Every `x-amz-*` header must be signed. Otherwise the holder of a presigned PUT could add `x-amz-copy-source`.
    ///
    /// `x-amz-content-sha256` is excepted, as S3 does: its value is in the canonical request in any case, so a changed
    /// one does not match.
    private func checkSignedHeaders() throws(SignatureError) {
        var unsigned: [String] = []
        for header in request.headers {
            let name = header.name.asciiLowercased
            if name.utf8.starts(with: "x-amz-".utf8), name != Self.contentHash, !claim.signedHeaders.contains(name),
                !unsigned.contains(name)
            {
                unsigned.append(name)
            }
        }
        guard unsigned.isEmpty else { throw .headersNotSigned(unsigned) }
        for name in claim.signedHeaders where request.values(ofHeader: name).isEmpty {
            throw .signedHeaderMissing(name)
        }
    }

    private func checkScope(_ service: String, _ region: String?) throws(SignatureError) {
        guard claim.scope.service == service else { throw .wrongService(claim.scope.service) }
        if let region, claim.scope.region != region { throw .wrongRegion(claim.scope.region) }
        guard claim.scope.day == claim.date.day else { throw .dayMismatch }
    }

    private func checkTime(_ now: Int64) throws(SignatureError) {
        let date = claim.date.secondsSince1970
        if let expiresSeconds = claim.expiresSeconds {
            guard now >= date - SignatureLimits.skewSecondsMax else { throw .notYetValid }
            guard now <= date + expiresSeconds else { throw .expired }
        } else {
            let range = date - SignatureLimits.skewSecondsMax...date + SignatureLimits.skewSecondsMax
            guard range.contains(now) else { throw .skewed }
        }
    }

    private func verify(_ key: SigningKey) throws(SignatureError) {
        guard key.isValid(claim.signature, of: try stringToSign()) else { throw .signatureMismatch }
        let signedHash = try payloadHash()
        if let bodyHash = request.bodyHash, Self.isHash(signedHash), !signedHash.isEqual(ignoringASCIICase: bodyHash) {
            throw .payloadHashMismatch
        }
    }

    private func canonical() throws(SignatureError) -> CanonicalRequest {
        try CanonicalRequest(
            request, query: query, signedHeaders: claim.signedHeaders, payloadHash: try payloadHash(),
            isS3: claim.scope.isS3)
    }

    /// SDKs spell the name `X-Amz-Content-Sha256` or `X-Amz-Content-SHA256`.
    private func contentHashParameter() throws(SignatureError) -> String? {
        var found: String?
        for parameter in query.parameters {
            let name = String(decoding: parameter.name, as: UTF8.self)
            guard name.isEqual(ignoringASCIICase: Self.contentHash) else { continue }
            guard found == nil else { throw .duplicatePart(.payloadHash) }
            found = String(decoding: parameter.value ?? [], as: UTF8.self)
        }
        return found
    }

    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { $0.hexadecimalDigit != nil }
    }
}
