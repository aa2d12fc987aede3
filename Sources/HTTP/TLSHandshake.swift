import NIOCore
import NIOSSL
import NIOTLS

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
        if certificates.trackedServerNames.isEmpty {
            try addTLS(certificates, before: handler, in: pipeline)
        } else {
            try addNameReader(certificates, before: handler, in: pipeline)
        }
        pipeline.fireChannelRead(bytes)
    }

    private static func addTLS(
        _ certificates: TLSCertificates, before handler: Connection, in pipeline: ChannelPipeline
    ) throws {
        try pipeline.syncOperations.addHandler(
            NIOSSLServerHandler(context: certificates.context), position: .before(handler))
    }

    /// Reads the name that the client asks for before TLS does: TLS does not say it afterwards. A ClientHello that is cut
    /// into several records, which none need be (RFC 8446 §5.1), has no name here.
    private static func addNameReader(
        _ certificates: TLSCertificates, before handler: Connection, in pipeline: ChannelPipeline
    ) throws {
        let (loop, bound) = (pipeline.eventLoop, NIOLoopBound(handler, eventLoop: pipeline.eventLoop))
        let reader = SNIHandler { result in
            let handler = bound.value
            if case .hostname(let name) = result {
                let name = name.lowercased()
                if certificates.trackedServerNames.contains(name) { unsafe handler.machine.serverName = name }
            }
            return loop.makeCompletedFuture {
                guard let pipeline = handler.context?.pipeline else { throw ChannelError.ioOnClosedChannel }
                try addTLS(certificates, before: handler, in: pipeline)
            }
        }
        try pipeline.syncOperations.addHandler(
            ByteToMessageHandler(reader, maximumBufferSize: recordBytesMax), position: .before(handler))
    }

    /// A record of 2^14 bytes with its header (RFC 8446 §5.1), and what a read may have of the next one.
    private static let recordBytesMax = 1 << 15

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
