import AWSSignature

extension S3Error {
    /// The access key is not known.
    public static let invalidAccessKeyID = S3Error(
        "InvalidAccessKeyId", 403, "The AWS Access Key Id you provided does not exist in our records.")
    /// The session token is malformed or does not belong to the access key.
    public static let invalidToken = S3Error(
        "InvalidToken", 400, "The provided token is malformed or otherwise invalid.")
    /// The temporary credentials have expired.
    public static let expiredToken = S3Error("ExpiredToken", 400, "The provided token has expired.")

    /// Where a request has its signature.
    enum SignaturePlace: Sendable {
        /// In the Authorization header.
        case header
        /// In the query, as a presigned URL has it.
        case query
        /// In the query, in signature version 2.
        case queryOfVersion2
    }

    /// Maps a signature error to S3's response (Amazon S3 API Reference, "Error responses").
    init(_ error: SignatureError, in place: SignaturePlace) {
        func malformed(_ message: String) -> S3Error {
            switch place {
            case .header:
                S3Error("AuthorizationHeaderMalformed", 400, "The authorization header is malformed; \(message)")
            case .query: S3Error("AuthorizationQueryParametersError", 400, message)
            case .queryOfVersion2: S3Error("AccessDenied", 403, message)
            }
        }
        switch error {
        case .missing, .payloadHashMismatch: self = error == .missing ? .accessDenied : .contentHashMismatch
        case .multipleMechanisms:
            self = S3Error(
                "InvalidArgument", 400,
                "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified"
            )
        case .unsupportedAlgorithm:
            self = .invalidRequest(
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.")
        case .missingPart(.payloadHash), .malformedPart(.payloadHash), .duplicatePart(.payloadHash):
            self = .invalidRequest("Missing or invalid header for this request: x-amz-content-sha256")
        case .missingPart(.date) where place == .header, .malformedPart(.date) where place == .header:
            self = S3Error("AccessDenied", 403, "AWS authentication requires a valid Date or x-amz-date header")
        case .malformedPart(.securityToken): self = .invalidToken
        case .missingPart(let part): self = malformed(part.missing(in: place))
        case .duplicatePart(let part): self = malformed("\(part.name(in: place)) is present more than once.")
        case .malformedPart(let part): self = malformed(part.malformed(in: place))
        case .authorizationTooLong:
            self = malformed("it is longer than \(SignatureLimits.authorizationBytesMax) bytes.")
        case .malformedAuthorization: self = malformed(SignaturePart.components)
        case .tooManySignedHeaders:
            self = malformed("more than \(SignatureLimits.signedHeadersMax) headers are signed.")
        case .tooManyQueryParameters: self = .invalidRequest("The query has too many parameters.")
        case .repeatedHeader(let name): self = .invalidRequest("The header \(name) is there more than once.")
        case .malformedPath, .malformedQuery: self = .invalidURI
        case .hostNotSigned: self = Self.notSigned(["host"])
        case .headersNotSigned(let names): self = Self.notSigned(names)
        case .signedHeaderMissing, .signatureMismatch: self = .signatureDoesNotMatch
        case .wrongService(let service):
            self = malformed("incorrect service \"\(service)\". This endpoint belongs to \"s3\".")
        case .wrongRegion(let region): self = malformed("the region '\(region)' is wrong")
        case .dayMismatch:
            self = malformed("Invalid credential date. This date is not the same as X-Amz-Date.")
        case .skewed:
            self = S3Error(
                "RequestTimeTooSkewed", 403,
                "The difference between the request time and the current time is too large.")
        case .notYetValid: self = S3Error("AccessDenied", 403, "Request is not valid yet")
        case .expired: self = S3Error("AccessDenied", 403, "Request has expired")
        }
    }

    private static func notSigned(_ names: [String]) -> S3Error {
        S3Error(
            "AccessDenied", 403, "There were headers present in the request which were not signed",
            [Detail("HeadersNotSigned", names.joined(separator: ", "))])
    }
}

extension SignaturePart {
    /// The component of the Authorization header, or the parameter of the query, by the name that clients write.
    fileprivate func name(in place: S3Error.SignaturePlace) -> String {
        switch (place, self) {
        case (.queryOfVersion2, .credential): "AWSAccessKeyId"
        case (.queryOfVersion2, .expires): "Expires"
        case (.queryOfVersion2, .signature), (.header, .signature): "Signature"
        case (.query, .signature): "X-Amz-Signature"
        case (.header, .credential): "Credential"
        case (.query, .credential): "X-Amz-Credential"
        case (.header, .signedHeaders): "SignedHeaders"
        case (_, .signedHeaders): "X-Amz-SignedHeaders"
        case (_, .algorithm): "X-Amz-Algorithm"
        case (_, .date): "X-Amz-Date"
        case (_, .expires): "X-Amz-Expires"
        case (_, .securityToken): "X-Amz-Security-Token"
        case (_, .payloadHash): "x-amz-content-sha256"
        }
    }

    fileprivate static let components =
        "The authorization header requires three components: Credential, SignedHeaders, and Signature."

    /// The message if the part is absent: which ones S3 requires, and which one it is.
    fileprivate func missing(in place: S3Error.SignaturePlace) -> String {
        let required =
            switch place {
            case .header: Self.components
            case .query:
                "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."
            case .queryOfVersion2:
                "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters."
            }
        return "\(required) \(name(in: place)) is missing."
    }

    /// The message if the part is not in its form: which form S3 expects.
    fileprivate func malformed(in place: S3Error.SignaturePlace) -> String {
        let name = name(in: place)
        switch self {
        case .credential where place == .header:
            return "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."
        case .credential where place == .query:
            return
                "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."
        case .date: return "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""
        case .expires where place == .query:
            return "X-Amz-Expires must be a number of seconds from 1 to \(SignatureLimits.expiresSecondsMax)"
        case .expires: return "Expires must be a number of seconds since 1970"
        case .signedHeaders:
            return "\(name) is mal-formed; expecting lower-case names in ascending order with semicolons between them."
        case .signature where place == .queryOfVersion2: return "\(name) is mal-formed; expecting 20 bytes in base64."
        case .signature: return "\(name) is mal-formed; expecting 64 lower-case hexadecimal digits."
        default: return "\(name) is mal-formed."
        }
    }
}
