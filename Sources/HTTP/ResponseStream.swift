/// An answer's body in parts. Each is asked for when the one before has left, so that a slow client makes its producer
/// wait.
public struct ResponseStream: Sendable {
    /// What comes next.
    public enum Part: Sendable {
        /// Bytes.
        case bytes([UInt8])
        /// No more.
        case end
        /// The rest cannot be had: the connection ends before the answer is whole.
        case failed
    }

    /// The bytes of all parts together. Without it the parts leave in chunks, or to HTTP/1.0 until the connection ends.
    public let byteCount: Int?
    let next: @Sendable (_ deliver: @escaping @Sendable (Part) -> Void) -> Void

    /// A body whose parts `next` makes. It is called on the connection's loop, and calls `deliver` once, from any thread,
    /// now or later. It is released with the answer, or when the connection is lost.
    public init(
        byteCount: Int? = nil, next: @escaping @Sendable (_ deliver: @escaping @Sendable (Part) -> Void) -> Void
    ) {
        self.byteCount = byteCount
        self.next = next
    }
}
