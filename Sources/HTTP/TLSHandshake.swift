import NIOCore
import NIOSSL

/// The way from a connection's first bytes to TLS: puts NIOSSL before the connection's own handler.
enum TLSHandshake {
    /// The first byte of a TLS record that holds a handshake message, such as a ClientHello (RFC 8446 §5.1). No HTTP
    /// request begins with it: a method is made of visible characters (RFC 9110 §9.1).
    static let firstByte: UInt8 = 0x16

    /// Begins: from now on `handler` is given what is decrypted, and what it writes is encrypted. The bytes that were
    /// read go once more through the pipeline, now through TLS.
    static func begin(
        with certificates: TLSCertificates, before handler: Connection, in context: ChannelHandlerContext,
        _ bytes: ByteBuffer
    ) throws {
        let pipeline = context.pipeline
        try pipeline.syncOperations.addHandler(
            NIOSSLServerHandler(context: certificates.context), position: .before(handler))
        pipeline.fireChannelRead(bytes)
    }

    /// Closes the connection without a closing alert, for which it would have to wait until the client reads.
    static func abort(in context: ChannelHandlerContext) {
        guard let handler = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return context.close(promise: nil)
        }
        handler.close(promise: nil)
    }

    /// Whether the client went without saying goodbye in TLS. Nothing can be missing of a whole request, so it is as
    /// good as the end of a clear-text connection (RFC 9112 §9.8).
    static func isUncleanEnd(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { return true }
        return false
    }
}
