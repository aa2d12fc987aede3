/// The body of a request, which arrives in parts.
public struct S3Body: Sendable {
    /// A part of a body.
    public enum Part: Sendable {
        /// The next bytes, at least one.
        case bytes([UInt8])
        /// The end of the body.
        case end
        /// The connection ended before the end of the body.
        case failed
        /// The client was silent for too long.
        case timedOut
        /// The body exceeds the number of bytes that one may have as it is sent.
        case tooLarge(bytesMax: Int)
    }

    /// Number of bytes of the encoded body, if the client has declared it.
    public var byteCount: Int?
    /// Waits for the next part. No further bytes are received before this is called, which applies back-pressure.
    public var next: @Sendable () async -> Part

    /// The most bytes that a body of so many bytes may have as it is sent: chunks and their signatures are longer than what they
    /// carry.
    public static func sentBytesMax(of byteCount: Int) -> Int { byteCount + byteCount / 8 + (64 << 10) }

    /// A body that `next` receives part by part.
    public init(byteCount: Int?, next: @escaping @Sendable () async -> Part) {
        (self.byteCount, self.next) = (byteCount, next)
    }

    /// A body of no bytes, as its `Content-Length` says.
    public static let empty = S3Body(byteCount: 0, next: { .end })

    /// No body, in a request that declares no length.
    public static let undeclared = S3Body(byteCount: nil, next: { .end })
}
