import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// A client that verifies what it is shown, as a browser does, and asks one thing after the other.
final class TLSClient: Sendable {
    private let channel: any Channel
    private let inbox: Inbox
    /// What the server chose of the protocols that were offered.
    let applicationProtocol: String?

    /// Connects and shakes hands; throws what went wrong with either. `host` is the name that is asked for.
    init(
        port: Int, host: String? = "localhost", authorityPEM: String = TestCertificates.authorityPEM,
        applicationProtocols: [String] = ["http/1.1"], versionMax: TLSVersion = .tlsv13,
        cipherSuites: String? = nil
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authorityPEM.utf8)))
        configuration.applicationProtocols = applicationProtocols
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = versionMax
        if let cipherSuites { configuration.cipherSuites = cipherSuites }
        if host == nil { configuration.certificateVerification = .noHostnameVerification }
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let handshake = loop.makePromise(of: String?.self)
        let inbox = Inbox()
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(Recorder(inbox: inbox))
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: host))
                        try pipeline.addHandler(Receiver(inbox: inbox, handshake: handshake))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            handshake.fail(error)
            throw error
        }
        self.inbox = inbox
        applicationProtocol = try await handshake.futureResult.get()
    }

    deinit { channel.close(promise: nil) }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Takes nothing more from now on.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    /// The head and the body of the next answer, or nil when the connection ends before it is whole.
    func answer() async throws -> String? {
        for _ in 0..<60_000 {
            if let answer = inbox.takeAnswer() { return answer }
            // The rest may have come with the end since it was looked for.
            if inbox.isEnded { return inbox.takeAnswer() }
            try await Task.sleep(for: .milliseconds(1))
        }
        return nil
    }

    func ask(_ text: String) async throws -> String? {
        try await send(text)
        return try await answer()
    }

    /// Whether the server ends the connection within a minute.
    func ends() async -> Bool {
        await eventually { inbox.isEnded }
    }

    func close() async throws { try await channel.close() }

    /// The certificate the server has shown.
    var certificate: NIOSSLCertificate? {
        get async throws { try await channel.nioSSL_peerCertificate().get() }
    }

    var version: TLSVersion? {
        get async throws { try await channel.nioSSL_tlsVersion().get() }
    }

    /// The bytes that a handshake begins with: a whole ClientHello.
    static func clientHello(port: Int) async throws -> [UInt8] {
        let client = try await TLSClient(port: port)
        return client.inbox.firstWrite
    }
}

/// What a client has received, and the first bytes it sent.
private final class Inbox: Sendable {
    private struct State {
        var text: [UInt8] = []
        var firstWrite: [UInt8] = []
        var isEnded = false
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var firstWrite: [UInt8] { state.withLock { $0.firstWrite } }

    func receive(_ bytes: ByteBuffer) { state.withLock { $0.text += bytes.readableBytesView } }
    func end() { state.withLock { $0.isEnded = true } }
    func record(_ bytes: ByteBuffer) {
        state.withLock { if $0.firstWrite.isEmpty { $0.firstWrite = Array(bytes.readableBytesView) } }
    }

    func takeAnswer() -> String? {
        state.withLock { state in
            let text = String(decoding: state.text, as: UTF8.self)
            guard let headEnd = text.firstRange(of: "\r\n\r\n") else { return nil }
            let length = text[..<headEnd.lowerBound].split(separator: "\r\n")
                .first { $0.lowercased().hasPrefix("content-length: ") }
                .flatMap { Int($0.dropFirst("content-length: ".count)) }
            let count = text[..<headEnd.upperBound].utf8.count + (length ?? 0)
            guard state.text.count >= count else { return nil }
            defer { state.text.removeFirst(count) }
            return String(decoding: state.text[..<count], as: UTF8.self)
        }
    }
}

/// Sees what goes to the socket.
private final class Recorder: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        inbox.record(unwrapOutboundIn(data))
        context.write(data, promise: promise)
    }
}

/// Sees what was decrypted.
private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Inbox
    private let handshake: EventLoopPromise<String?>

    init(inbox: Inbox, handshake: EventLoopPromise<String?>) {
        self.inbox = inbox
        self.handshake = handshake
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else { return }
        handshake.succeed(negotiated)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { inbox.receive(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshake.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handshake.fail(ChannelError.eof)
        inbox.end()
    }
}
