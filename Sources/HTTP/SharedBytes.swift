import NIOCore

/// Bytes that many sockets send: made once, and referenced instead of copied where that is cheaper.
public final class SharedBytes: Sendable {
    /// Bytes from which a reference is cheaper than a copy: it costs a piece of its own in the write, and with them the
    /// queue of a slow reader holds them once for all.
    static let referencedBytesMin = 4096

    let buffer: ByteBuffer

    /// A copy of `bytes`.
    public init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }
}
