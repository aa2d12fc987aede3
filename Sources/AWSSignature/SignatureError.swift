/// Why the signature of a request is refused. Each case names what AWS answers; the caller words it.
public enum SignatureError: Error, Sendable, Hashable {
    // MARK: No signature, or not one

    /// The request is not signed. AWS: MissingAuthenticationToken, for S3 AccessDenied.
    case missing
    /// The request has more than one of: an Authorization header, V4 parameters, V2 parameters. S3: InvalidArgument.
    case multipleMechanisms
    /// The algorithm is not AWS4-HMAC-SHA256. AWS: IncompleteSignature, for S3 InvalidRequest.
    case unsupportedAlgorithm

    // MARK: Form

    /// The Authorization header is longer than `SignatureLimits.authorizationBytesMax`. AWS: IncompleteSignature.
    case authorizationTooLong
    /// The Authorization header is not a list of `Credential`, `SignedHeaders` and `Signature`. AWS:
    /// IncompleteSignature, for S3 AuthorizationHeaderMalformed.
    case malformedAuthorization
    /// A required part is absent. AWS: IncompleteSignature, for S3 AuthorizationHeaderMalformed or
    /// AuthorizationQueryParametersError.
    case missingPart(SignaturePart)
    /// A part occurs twice. Answered as `missingPart`.
    case duplicatePart(SignaturePart)
    /// A part is not in its form. Answered as `missingPart`.
    case malformedPart(SignaturePart)
    /// More headers are signed than `SignatureLimits.signedHeadersMax`.
    case tooManySignedHeaders
    /// The query has more parameters than `SignatureLimits.queryParametersMax`.
    case tooManyQueryParameters
    /// A header that must occur once occurs more often. The name is in lower case.
    case repeatedHeader(String)
    /// Two hexadecimal digits do not follow each `%` in the path. S3: InvalidURI.
    case malformedPath
    /// Two hexadecimal digits do not follow each `%` in the query. S3: InvalidURI.
    case malformedQuery

    // MARK: What is signed

    /// SignedHeaders has no `host`. AWS: SignatureDoesNotMatch, for S3 AccessDenied with HeadersNotSigned.
    case hostNotSigned
    /// Headers `x-amz-*` that are not signed, in lower case. S3: AccessDenied with HeadersNotSigned.
    case headersNotSigned([String])
    /// A signed header is not in the request. AWS: SignatureDoesNotMatch.
    case signedHeaderMissing(String)

    // MARK: Verification

    /// The credential is scoped to this other service. AWS: SignatureDoesNotMatch.
    case wrongService(String)
    /// The credential is scoped to this other region. AWS: SignatureDoesNotMatch, for S3 AuthorizationHeaderMalformed.
    case wrongRegion(String)
    /// The credential's day is not the day of the request's date. AWS: SignatureDoesNotMatch.
    case dayMismatch
    /// The request's date and the clock differ too much. AWS: SignatureDoesNotMatch, for S3 RequestTimeTooSkewed.
    case skewed
    /// A presigned URL's date lies in the future. S3: AccessDenied.
    case notYetValid
    /// A presigned URL has expired. S3: AccessDenied, "Request has expired".
    case expired
    /// The signature is not that of the request. AWS: SignatureDoesNotMatch.
    case signatureMismatch
    /// The body is not the signed one. S3: XAmzContentSHA256Mismatch.
    case payloadHashMismatch
}
