/// What the Authorization header or the query of a request says about its signature. Nothing of it is verified.
public struct SignatureClaim: Sendable, Hashable {
    /// The access key id, at most `SignatureLimits.accessKeyIDBytesMax` visible characters of ASCII.
    public let accessKeyID: String
    /// The day, region and service of the signing key.
    public let scope: CredentialScope
    /// Names in lower case, in ascending order and without repetition; `host` is among them.
    public let signedHeaders: [String]
    /// 64 lower-case hexadecimal digits.
    public let signature: String
    /// When the request was signed.
    public let date: SigningDate
    /// How long a presigned URL is valid after `date`; nil when the signature is in the Authorization header.
    public let expiresSeconds: Int64?
    /// The session token of temporary credentials. It is signed; whether it belongs to the key is for the caller to
    /// check.
    public let sessionToken: String?

    /// Whether the signature is in the query.
    public var isPresigned: Bool { expiresSeconds != nil }
}

// MARK: - The Authorization header

extension SignatureClaim {
    /// The only algorithm that is verified here.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// Reads the Authorization header.
    ///
    /// Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)":
    /// the algorithm, a blank, and `Credential`, `SignedHeaders` and `Signature` with commas between them.
    init(authorization: String, of request: SignedRequest) throws(SignatureError) {
        guard authorization.utf8.count <= SignatureLimits.authorizationBytesMax else { throw .authorizationTooLong }
        let text = authorization.trimmingBlanks.utf8
        let algorithm = text.prefix { !$0.isBlank }
        guard algorithm.elementsEqual(Self.algorithm.utf8) else { throw .unsupportedAlgorithm }
        let parts = try Self.authorizationParts(text[algorithm.endIndex...])
        for part in [SignaturePart.credential, .signedHeaders, .signature] where parts[part] == nil {
            throw .missingPart(part)
        }
        try self.init(
            credential: parts[.credential, default: ""], signedHeaders: parts[.signedHeaders, default: ""],
            signature: parts[.signature, default: ""], date: Self.date(of: request), expiresSeconds: nil,
            sessionToken: request.value(ofHeader: "x-amz-security-token"))
    }

    private static func authorizationParts(
        _ text: Substring.UTF8View
    ) throws(SignatureError) -> [SignaturePart: String] {
        var parts: [SignaturePart: String] = [:]
        guard text.contains(where: { !$0.isBlank }) else { return parts }
        for element in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let element = Substring(element).trimmingBlanks
            guard let equals = element.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw .malformedAuthorization }
            let part: SignaturePart
            switch element[..<equals] {
            case "Credential": part = .credential
            case "SignedHeaders": part = .signedHeaders
            case "Signature": part = .signature
            default: throw .malformedAuthorization
            }
            let value = element[element.utf8.index(after: equals)...]
            guard parts.updateValue(String(value), forKey: part) == nil else { throw .duplicatePart(part) }
        }
        return parts
    }

    /// `X-Amz-Date`, or else `Date`, which is an HTTP date or in the form of `X-Amz-Date`.
    private static func date(of request: SignedRequest) throws(SignatureError) -> SigningDate {
        if let text = try request.value(ofHeader: "x-amz-date")?.trimmingBlanks {
            guard let date = SigningDate(basic: text) else { throw .malformedPart(.date) }
            return date
        }
        guard let text = try request.value(ofHeader: "date")?.trimmingBlanks else { throw .missingPart(.date) }
        guard let date = SigningDate(httpDate: text) ?? SigningDate(basic: text) else { throw .malformedPart(.date) }
        return date
    }
}

// MARK: - The query

extension SignatureClaim {
    /// Reads the parameters of a presigned URL.
    ///
    /// Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".
    init(query: QueryParameters) throws(SignatureError) {
        let algorithm = try Self.required("X-Amz-Algorithm", .algorithm, in: query)
        guard algorithm.hasBytes(of: Self.algorithm) else { throw .unsupportedAlgorithm }
        let credential = try Self.required("X-Amz-Credential", .credential, in: query)
        guard let date = SigningDate(basic: try Self.required("X-Amz-Date", .date, in: query)) else {
            throw .malformedPart(.date)
        }
        let expires = try Self.required("X-Amz-Expires", .expires, in: query)
        guard let seconds = Self.expiresSeconds(expires) else { throw .malformedPart(.expires) }
        let signedHeaders = try Self.required("X-Amz-SignedHeaders", .signedHeaders, in: query)
        let signature = try Self.required("X-Amz-Signature", .signature, in: query)
        let token = try query.value(of: "X-Amz-Security-Token", as: .securityToken)
        try self.init(
            credential: credential, signedHeaders: signedHeaders, signature: signature, date: date,
            expiresSeconds: seconds, sessionToken: token)
    }

    private static func required(
        _ name: String, _ part: SignaturePart, in query: QueryParameters
    ) throws(SignatureError) -> String {
        guard let value = try query.value(of: name, as: part) else { throw .missingPart(part) }
        return value
    }

    /// 1 to 604,800, in decimal digits.
    private static func expiresSeconds(_ text: String) -> Int64? {
        guard 1...6 ~= text.utf8.count, text.utf8.allSatisfy({ $0.decimalDigit != nil }), let seconds = Int64(text),
            1...SignatureLimits.expiresSecondsMax ~= seconds
        else { return nil }
        return seconds
    }
}

// MARK: - Parts

extension SignatureClaim {
    private init(
        credential: String, signedHeaders: String, signature: String, date: SigningDate, expiresSeconds: Int64?,
        sessionToken: String?
    ) throws(SignatureError) {
        (accessKeyID, scope) = try Self.credential(credential)
        self.signedHeaders = try Self.signedHeaders(signedHeaders)
        guard signature.utf8.count == 64, signature.utf8.allSatisfy(Self.isLowerHexadecimal) else {
            throw .malformedPart(.signature)
        }
        self.signature = signature
        self.date = date
        self.expiresSeconds = expiresSeconds
        if let token = sessionToken?.trimmingBlanks {
            guard !token.isEmpty, token.isVisibleASCII else { throw .malformedPart(.securityToken) }
            self.sessionToken = token
        } else {
            self.sessionToken = nil
        }
    }

    /// `AKIDEXAMPLE/20260102/us-east-1/s3/aws4_request`.
    private static func credential(_ text: String) throws(SignatureError) -> (String, CredentialScope) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty && $0.isVisibleASCII }),
            parts[0].utf8.count <= SignatureLimits.accessKeyIDBytesMax,
            SigningDate(basic: parts[1] + "T000000Z") != nil,
            parts[2].utf8.count <= SignatureLimits.scopePartBytesMax,
            parts[3].utf8.count <= SignatureLimits.scopePartBytesMax, parts[4] == CredentialScope.termination
        else { throw .malformedPart(.credential) }
        return (parts[0], CredentialScope(day: parts[1], region: parts[2], service: parts[3]))
    }

    /// `host;x-amz-date`: names in lower case, sorted, each once.
    private static func signedHeaders(_ text: String) throws(SignatureError) -> [String] {
        let parts = text.utf8.split(
            separator: UInt8(ascii: ";"), maxSplits: SignatureLimits.signedHeadersMax, omittingEmptySubsequences: false)
        guard parts.count <= SignatureLimits.signedHeadersMax else { throw .tooManySignedHeaders }
        let names = parts.map { String(Substring($0)) }
        guard names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isLowerToken) }),
            zip(names, names.dropFirst()).allSatisfy({ $0.utf8.lexicographicallyPrecedes($1.utf8) })
        else { throw .malformedPart(.signedHeaders) }
        guard names.contains("host") else { throw .hostNotSigned }
        return names
    }

    private static func isLowerHexadecimal(_ byte: UInt8) -> Bool {
        byte.hexadecimalDigit != nil && byte.asciiLowercased == byte
    }

    /// RFC 9110 §5.6.2, but for upper-case letters.
    private static func isLowerToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
