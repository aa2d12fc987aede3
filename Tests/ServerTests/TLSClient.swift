import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One request over TLS, by a client that verifies the certificate and the name in full.
enum TLSClient {
    /// Asks for a path and returns all of the answer's text. Throws what was wrong with the handshake.
    ///
    /// - Parameters:
    ///   - host: The name that the certificate must be good for, and that the handshake asks for.
    ///   - httpHost: The `Host` of the request.
    ///   - authority: The authority to trust; nil verifies nothing.
    ///   - splitsHello: Whether the ClientHello is fragmented over two records.
    static func get(
        _ path: String, port: Int, host: String = "localhost", httpHost: String = "h", address: String = "127.0.0.1",
        authority: String?, splitsHello: Bool = false
    ) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authority {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authority))
        } else {
            configuration.certificateVerification = .none
        }
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: String.self)
        // An address cannot be asked for by SNI (RFC 6066 §3); the certificate must be good for the one that is dialled.
        let isName = !host.contains(":") && host.contains { $0.isLetter }
        let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if splitsHello { try pipeline.addHandler(RecordSplitter()) }
                try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: isName ? host : nil))
                try pipeline.addHandler(
                    Asker(
                        "GET \(path) HTTP/1.1\r\nHost: \(httpHost)\r\nConnection: close\r\n\r\n", answer))
            }
        }
        do {
            _ = try await bootstrap.connect(host: address, port: port).get()
        } catch {
            answer.fail(error)
        }
        return try await answer.futureResult.get()
    }
}

/// Sends a text when the handshake is complete, and collects the answer until the end.
private final class Asker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let question: String
    private let answer: EventLoopPromise<String>
    private var text = ""

    init(_ question: String, _ answer: EventLoopPromise<String>) {
        self.question = question
        self.answer = answer
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: question)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { text += String(buffer: unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { answer.succeed(text) }
}

/// Fragments the first record that is written into two (RFC 8446 §5.1).
private final class RecordSplitter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var isDone = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = Array(unwrapOutboundIn(data).readableBytesView)
        guard !isDone, bytes.count > 25 else { return context.write(data, promise: promise) }
        isDone = true
        func record(_ content: ArraySlice<UInt8>) -> [UInt8] {
            Array(bytes.prefix(3)) + [UInt8(content.count >> 8), UInt8(content.count & 255)] + Array(content)
        }
        let split = record(bytes[5..<25]) + record(bytes[25...])
        context.write(wrapOutboundOut(ByteBuffer(bytes: split)), promise: promise)
    }
}
