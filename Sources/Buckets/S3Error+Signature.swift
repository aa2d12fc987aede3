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

    /// Maps a signature error to S3's response (Amazon S3 API Reference, "Error responses").
    init(_ error: SignatureError, isInQuery: Bool) {
        func malformed(_ message: String) -> S3Error {
            isInQuery
                ? S3Error("AuthorizationQueryParametersError", 400, message)
                : S3Error("AuthorizationHeaderMalformed", 400, "The authorization header is malformed; \(message)")
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
        case .missingPart(.date) where !isInQuery:
            self = S3Error("AccessDenied", 403, "AWS authentication requires a valid Date or x-amz-date header")
        case .missingPart(let part): self = malformed("\(part) is missing.")
        case .duplicatePart(let part): self = malformed("\(part) is there more than once.")
        case .malformedPart(let part): self = malformed("\(part) is not in its form.")
        case .authorizationTooLong, .malformedAuthorization: self = malformed("it cannot be read.")
        case .tooManySignedHeaders: self = malformed("too many headers are signed.")
        case .tooManyQueryParameters: self = .invalidRequest("The query has too many parameters.")
        case .repeatedHeader(let name): self = .invalidRequest("The header \(name) is there more than once.")
        case .malformedPath, .malformedQuery: self = .invalidURI
        case .hostNotSigned: self = Self.notSigned(["host"])
        case .headersNotSigned(let names): self = Self.notSigned(names)
        case .signedHeaderMissing, .signatureMismatch: self = .signatureDoesNotMatch
        case .wrongService(let service):
            self = malformed("incorrect service \"\(service)\". This endpoint belongs to \"s3\".")
        case .wrongRegion(let region): self = malformed("the region '\(region)' is wrong")
        case .dayMismatch: self = malformed("the date of the credential is not that of the request.")
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
