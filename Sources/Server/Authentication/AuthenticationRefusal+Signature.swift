import AWSSignature

extension AuthenticationRefusal {
    /// The keys that a signature names are not accepted.
    static let unknownSigner = AuthenticationRefusal(
        status: 403, errorType: "UnrecognizedClientException",
        message: "The security token included in the request is invalid.")

    /// The refusal of a signature, in AWS's words (reference: appsync-protocol, "Status codes and error bodies").
    init(_ error: SignatureError, _ claim: SignatureClaim?, now: Int64) {
        switch error {
        case .skewed, .expired, .notYetValid:
            let date = SigningDate(secondsSince1970: now)
            let limit = SignatureLimits.skewSecondsMax
            let bound = SigningDate(secondsSince1970: now - limit)
            self.init(
                status: 403, errorType: "InvalidSignatureException",
                message: "Signature expired: \(claim?.date.text ?? "it") is now earlier than \(bound.text) "
                    + "(\(date.text) - \(limit / 60) min.)")
            if let claim, claim.date.secondsSince1970 > now {
                message =
                    "Signature not yet current: \(claim.date.text) is still later than "
                    + "\(SigningDate(secondsSince1970: now + limit).text) (\(date.text) + \(limit / 60) min.)"
            }
        case .wrongService, .wrongRegion, .dayMismatch, .signatureMismatch, .payloadHashMismatch, .signedHeaderMissing,
            .headersNotSigned:
            self.init(
                status: 403, errorType: "InvalidSignatureException",
                message:
                    "The request signature we calculated does not match the signature you provided. Check your AWS "
                    + "Secret Access Key and signing method. Consult the service documentation for details.")
        case .missingPart(let part):
            self.init(
                status: 400, errorType: "IncompleteSignatureException",
                message: "Authorization header requires '\(part)' parameter.")
        default:
            self.init(
                status: 400, errorType: "IncompleteSignatureException",
                message: "The Authorization header is not a signature of AWS Signature Version 4.")
        }
    }
}
