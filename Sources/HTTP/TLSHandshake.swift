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
        if certificates.trackedDomains.isEmpty {
            try addTLS(certificates, before: handler, in: pipeline)
        } else {
            try pipeline.syncOperations.addHandler(
                ServerNameHandler(certificates, before: handler), position: .before(handler))
        }
        pipeline.fireChannelRead(bytes)
    }

    fileprivate static func addTLS(
        _ certificates: TLSCertificates, before handler: Connection, in pipeline: ChannelPipeline
    ) throws {
        try pipeline.syncOperations.addHandler(
            NIOSSLServerHandler(context: certificates.context), position: .before(handler))
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

/// Reads the server name (SNI) of the ClientHello before TLS does: NIOSSL reports it only to its context callback, which does not know
/// the connection. Then it adds the TLS handler after itself, forwards all bytes, and is removed.
///
/// It keeps twice `ClientHelloReader.bytesMax` bytes and one read. On the event loop of the connection.
private final class ServerNameHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let certificates: TLSCertificates
    private let connection: Connection
    private var reader = ClientHelloReader()
    private var isDone = false

    init(_ certificates: TLSCertificates, before connection: Connection) {
        (self.certificates, self.connection) = (certificates, connection)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        switch reader.receive(unwrapInboundIn(data).readableBytesView) {
        case .needsBytes: return
        case .serverName(let name):
            unsafe connection.machine.serverName = name.flatMap(certificates.trackedName)
        case .invalid:
            // The TLS handler reports the error. If it accepts the message, no request can have this name as its Host.
            unsafe connection.machine.serverName = ""
        }
        begin(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client sends nothing more: the handshake fails.
        if !isDone, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            return begin(context, then: ChannelEvent.inputClosed)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// - Parameter event: Forwarded after the bytes: a removed handler forwards nothing.
    private func begin(_ context: ChannelHandlerContext, then event: ChannelEvent? = nil) {
        isDone = true
        do {
            try TLSHandshake.addTLS(certificates, before: connection, in: context.pipeline)
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: reader.bytes)))
        if let event { context.fireUserInboundEventTriggered(event) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
