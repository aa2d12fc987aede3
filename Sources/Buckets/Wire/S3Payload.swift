public import AWSSignature

/// The encoding and signing of a request's body, from `x-amz-content-sha256`.
public enum S3Payload: Sendable {
    /// The plain body, unsigned.
    case unsigned
    /// The plain body, with this SHA-256 in lower-case hexadecimal.
    case hash(String)
    /// `aws-chunked`: chunks, which are signed if there are signatures, and trailers.
    case chunked(ChunkSignature?, hasTrailer: Bool)

    /// Reads the value of `x-amz-content-sha256`.
    ///
    /// - Parameters:
    ///   - word: The value; nil if the header is absent.
    ///   - signature: The state for chunk signatures, which follow that of the request; nil if the request is not signed in
    ///     its headers.
    public init(_ word: String?, signature: ChunkSignature?) throws(S3Error) {
        switch word {
        case nil, "UNSIGNED-PAYLOAD"?: self = .unsigned
        case "STREAMING-UNSIGNED-PAYLOAD-TRAILER"?: self = .chunked(nil, hasTrailer: true)
        case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"?, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"?:
            guard let signature else {
                throw .invalidRequest("The chunks of a body are signed in requests with an Authorization header.")
            }
            self = .chunked(signature, hasTrailer: word?.hasSuffix("-TRAILER") ?? false)
        case let word?:
            if word.hasBytePrefix("STREAMING-") { throw .notImplemented("x-amz-content-sha256: \(word)") }
            guard word.utf8.count == 64,
                word.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 })
            else {
                throw .invalidArgument(
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a valid sha256 value or a STREAMING value.",
                    "x-amz-content-sha256", word)
            }
            self = .hash(word.asciiLowercased)
        }
    }
}
