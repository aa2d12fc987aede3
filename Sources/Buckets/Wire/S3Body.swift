/// The body of a request, which arrives in parts.
public struct S3Body: Sendable {
    /// A part of a body.
    public enum Part: Sendable {
        /// The next bytes, at least one.
        case bytes([UInt8])
        /// There are no more.
        case end
        /// The connection ended or a bound was passed before the body's end.
        case failed
        /// The client was silent for too long.
        case timedOut
    }

    /// The bytes of the whole body as it is sent, if the client said so.
    public var byteCount: Int?
    /// Waits for the next part. No further bytes are received before it is asked for; that is the back-pressure.
    public var next: @Sendable () async -> Part

    /// A body of its parts.
    public init(byteCount: Int?, next: @escaping @Sendable () async -> Part) {
        (self.byteCount, self.next) = (byteCount, next)
    }

    /// No body.
    public static let empty = S3Body(byteCount: 0, next: { .end })
}
