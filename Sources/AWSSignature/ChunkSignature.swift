import Crypto
import Encodings

/// The signatures of a body that is sent in chunks, each of which covers the one before it.
///
/// Amazon S3 API Reference, "Signature calculations for the authorization header: Transferring payload in multiple
/// chunks" and "… including trailing headers".
public struct ChunkSignature: Sendable {
    private let key: SigningKey
    private let date: String
    private var previous: String
    private static let emptyHash = Hexadecimal.text(of: SHA256.hash(data: [UInt8]()))

    /// Signatures that follow that of a request.
    ///
    /// - Parameters:
    ///   - key: The key of the request's scope.
    ///   - seed: The request's own signature.
    public init(key: SigningKey, date: SigningDate, seed: String) {
        (self.key, self.date, previous) = (key, date.text, seed)
    }

    /// Verifies the signature of the next chunk. One that is right is what the next one follows.
    ///
    /// - Parameter hash: The SHA-256 of the chunk's data in lower-case hexadecimal.
    public mutating func isValid(_ signature: String, ofChunk hash: String) -> Bool {
        let text = "AWS4-HMAC-SHA256-PAYLOAD\n\(date)\n\(key.scope.text)\n\(previous)\n\(Self.emptyHash)\n\(hash)"
        guard key.isValid(signature, of: text) else { return false }
        previous = signature
        return true
    }

    /// Verifies the signature of the trailer, which follows that of the last chunk.
    ///
    /// - Parameter hash: The SHA-256 of the lines, each `name:value` and a line feed.
    public func isValid(_ signature: String, ofTrailer hash: String) -> Bool {
        let text = "AWS4-HMAC-SHA256-TRAILER\n\(date)\n\(key.scope.text)\n\(previous)\n\(hash)"
        return key.isValid(signature, of: text)
    }
}
