import HTTP
import NIOCore
import Synchronization

/// A client's connection to a forward proxy: one request head, then a tunnel, or an answer after which the connection closes.
/// Everything runs on the event loop of the client's channel.
///
/// The proxy forwards a connection to the server only if the TLS server name (SNI) equals the CONNECT host. To the server, proxied
/// connections come from loopback; without this check, remote clients would gain the privileges of local programs.
final class ProxyConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What all connections of a proxy share.
    final class Services: Sendable {
        let limits: ProxyLimits
        let log: Log
        private let routing: Mutex<(policy: ProxyPolicy, dialer: ProxyDialer)>
        let counts: Mutex<ConnectionCounts>

        init(_ policy: ProxyPolicy, _ limits: ProxyLimits, _ dialer: ProxyDialer, log: Log) {
            (self.limits, self.log) = (limits, log)
            routing = Mutex((policy, dialer))
            counts = Mutex(ConnectionCounts(limits))
        }

        var policy: ProxyPolicy { routing.withLock { $0.policy } }
        var dialer: ProxyDialer { routing.withLock { $0.dialer } }

        func setNames(_ names: [String]) {
            routing.withLock { $0.policy.serverNames = Set(names.map { $0.lowercased() }) }
        }

        func setDialer(_ dialer: ProxyDialer) { routing.withLock { $0.dialer = dialer } }

        /// The clients' channels, for the end of the proxy.
        private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        func add(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = channel } }

        func remove(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = nil } }

        func closeAll() async {
            for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
        }
    }

    private enum State {
        case readingHead(ProxyHeadReader)
        case connecting
        /// The tunnel is open, and nothing has passed.
        case readingHello(ClientHelloReader, name: String, server: any Channel)
        case tunnel
        /// What is received is dropped.
        case answered
        case closed
    }

    private let services: Services
    private let peer: Peer
    private var state: State
    private var isCounted = false
    private var timer: Scheduled<Void>?
    /// Withdrawn when the client has gone, or its time is over.
    private let interest = ProxyResolver.Interest()
    /// What arrived before the tunnel was there, at most two reads (`ProxyLimits.readBytesMax`) beside what came with the head. While
    /// the proxy connects, it reads to see whether the client goes.
    private var bufferedBytes: [UInt8] = []
    private var hasReceivedAll = false

    init(_ services: Services, _ peer: Peer) {
        (self.services, self.peer) = (services, peer)
        state = .readingHead(ProxyHeadReader(services.limits))
    }

    private var network: String? { peer.isLoopback ? nil : peer.network }

    // MARK: Events

    func channelActive(context: ChannelHandlerContext) {
        isCounted = services.counts.withLock { $0.acquire(network) }
        guard isCounted else {
            // Not kept open for the answer to be read: there are too many already.
            state = .closed
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: ProxyRefusal.tooManyConnections.response)))
                .assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            return
        }
        services.add(context.channel)
        startTimer(services.limits.headSeconds, context) { connection, context in
            connection.refuse(.headTimeout, context)
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .readingHead(var reader):
            let event = reader.receive(unwrapInboundIn(data).readableBytesView)
            state = .readingHead(reader)
            switch event {
            case .needsBytes: break
            case .refusal(let refusal): refuse(refusal, context)
            case .request(let request): handle(request, reader.rest, context)
            }
        case .connecting: bufferedBytes += unwrapInboundIn(data).readableBytesView
        case .readingHello: readHello(Array(unwrapInboundIn(data).readableBytesView), context)
        case .tunnel: context.fireChannelRead(data)
        case .answered, .closed: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch state {
        case .readingHead, .readingHello, .answered: context.read()
        case .tunnel: context.fireChannelReadComplete()
        case .connecting: readWhileConnecting(context)
        case .closed: break
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .tunnel = state { context.fireChannelWritabilityChanged() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .tunnel = state { return context.fireUserInboundEventTriggered(event) }
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        hasReceivedAll = true
        switch state {
        case .readingHead, .readingHello, .answered: context.close(promise: nil)
        // A client that has sent nothing for the tunnel has gone. One that has may still wait for the answer.
        case .connecting: if bufferedBytes.isEmpty { context.close(promise: nil) }
        case .tunnel, .closed: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        interest.withdraw()
        services.remove(context.channel)
        if isCounted { services.counts.withLock { $0.release(network) } }
        isCounted = false
        switch state {
        case .tunnel: context.fireChannelInactive()
        case .readingHello(_, _, let server): server.close(promise: nil)
        case .readingHead, .connecting, .answered, .closed: break
        }
        state = .closed
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Requests

    private func handle(_ request: ProxyRequest, _ rest: [UInt8], _ context: ChannelHandlerContext) {
        // A page of a foreign name that resolves to this machine must not read the project's names.
        if case .autoConfiguration(_, let host?) = request, !Self.isOwnHost(host) {
            return refuse(.misdirected, context)
        }
        switch services.policy.decide(request) {
        case .refusal(let refusal):
            log(request, outcome: "\(refusal.status)")
            refuse(refusal, context)
        case .autoConfiguration(let isHead): answerAutoConfiguration(isHead: isHead, context)
        case .server:
            connect(request, rest, isToServer: true, context) {
                $0.connectToServer(for: interest, on: context.eventLoop)
            }
        case .destination(let target):
            connect(request, rest, isToServer: false, context) {
                $0.connect(to: target, for: interest, on: context.eventLoop)
            }
        }
    }

    private func connect(
        _ request: ProxyRequest, _ rest: [UInt8], isToServer: Bool, _ context: ChannelHandlerContext,
        _ open: (ProxyDialer) -> EventLoopFuture<any Channel>
    ) {
        (state, bufferedBytes) = (.connecting, rest)
        startTimer(services.limits.connectSeconds, context) { connection, context in
            connection.interest.withdraw()
            connection.log(request, outcome: "504")
            connection.refuse(.connectTimeout, context)
        }
        readWhileConnecting(context)
        open(services.dialer).assumeIsolated().whenComplete { [self] result in
            guard case .connecting = state else {
                // The client has gone, or its time was over.
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            do {
                let channel = try result.get()
                try begin(request, channel, isToServer: isToServer, context)
                log(request, outcome: "200")
            } catch {
                let refusal = error as? ProxyRefusal ?? .badGateway("The target has closed the connection.")
                if isToServer { services.log(.warning, refusal.text, ["peer": peer.description]) }
                log(request, outcome: "\(refusal.status)")
                refuse(refusal, context)
            }
        }
    }

    private func readWhileConnecting(_ context: ChannelHandlerContext) {
        if !hasReceivedAll, bufferedBytes.count < services.limits.readBytesMax { context.read() }
    }

    /// Answers the CONNECT. To another host the tunnel begins at once.
    private func begin(
        _ request: ProxyRequest, _ server: any Channel, isToServer: Bool, _ context: ChannelHandlerContext
    ) throws {
        guard server.isActive else { throw ChannelError.ioOnClosedChannel }
        let bytes = bufferedBytes
        bufferedBytes = []
        timer?.cancel()
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")), promise: nil)
        guard isToServer, case .connect(let target, _) = request else {
            return try startTunnel(to: server, sending: bytes, context)
        }
        state = .readingHello(ClientHelloReader(), name: target.host, server: server)
        startTimer(services.limits.clientHelloSeconds, context) { _, context in context.close(promise: nil) }
        if !bytes.isEmpty { readHello(bytes, context) }
        context.read()
    }

    private func readHello(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard case .readingHello(var reader, let name, let server) = state else { return }
        let event = reader.receive(bytes)
        state = .readingHello(reader, name: name, server: server)
        switch event {
        case .needsBytes: break
        case .serverName(name):
            timer?.cancel()
            do { try startTunnel(to: server, sending: reader.bytes, context) } catch { context.close(promise: nil) }
        case .serverName, .invalid:
            services.log(
                .warning,
                "Closed a tunnel: the client did not send a TLS ClientHello with the CONNECT host as its server name (SNI).",
                ["name": name, "peer": peer.description])
            // A fatal alert, "unrecognized_name" (RFC 6066 §3).
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [21, 3, 3, 0, 2, 2, 112])))
                .assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        }
    }

    private func startTunnel(to channel: any Channel, sending bytes: [UInt8], _ context: ChannelHandlerContext) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let server = try channel.pipeline.syncOperations.handler(type: ProxyTunnelEnd.self)
        let client = ProxyTunnelEnd(services.limits)
        try context.pipeline.syncOperations.addHandler(client)
        state = .tunnel
        ProxyTunnelEnd.connect(client: client, server: server, sending: bytes, hasReceivedAll: hasReceivedAll)
    }

    // MARK: Answers

    private func refuse(_ refusal: ProxyRefusal, _ context: ChannelHandlerContext) {
        answer(refusal.response, context)
    }

    private func answerAutoConfiguration(isHead: Bool, _ context: ChannelHandlerContext) {
        let file = ProxyAutoConfiguration(names: Array(services.policy.serverNames), proxy: Self.address(context)).text
        answer(
            """
            HTTP/1.1 200 OK\r
            Content-Type: application/x-ns-proxy-autoconfig\r
            Content-Length: \(file.utf8.count)\r
            Cache-Control: no-cache\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r
            \r
            \(isHead ? "" : file)
            """, context)
    }

    /// Whether a `Host` is an address, or a name of this machine.
    private static func isOwnHost(_ text: String) -> Bool {
        let host = HostPort.parts(of: text[...])?.host ?? text
        let machine = CertificateNames.machine
        return IPAddress(host) != nil || HostPort.isLoopback(host)
            || [machine, "\(machine).local"].contains { $0.lowercased() == host.lowercased() }
    }

    /// The address by which the client has reached the proxy.
    private static func address(_ context: ChannelHandlerContext) -> String {
        guard let address = context.channel.localAddress, let text = address.ipAddress, let port = address.port else {
            return "127.0.0.1"
        }
        return HostPort.text(text, port)
    }

    /// Sends an answer, and closes when the client has closed too or has had time to read it: a socket that is closed with
    /// bytes unread resets the connection (RFC 9112 §9.6).
    private func answer(_ text: String, _ context: ChannelHandlerContext) {
        state = .answered
        bufferedBytes = []
        startTimer(services.limits.lingerSeconds, context) { _, context in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)))
            .assumeIsolated().whenComplete { [self] _ in
                guard case .answered = state else { return }
                if hasReceivedAll { return context.close(promise: nil) }
                context.close(mode: .output, promise: nil)
                context.read()
            }
    }

    private func startTimer(
        _ seconds: Int, _ context: ChannelHandlerContext,
        _ body: @escaping (ProxyConnection, ChannelHandlerContext) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) { [weak self] in
            if let self { body(self, context) }
        }
    }

    private func log(_ request: ProxyRequest, outcome: String) {
        guard services.log.isLogged(.debug), case .connect(let target, _) = request else { return }
        services.log(.debug, "CONNECT", ["target": target.text, "outcome": outcome, "peer": peer.description])
    }
}
