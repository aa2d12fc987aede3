import HTTP
import NIOCore
import NIOPosix

/// A forward proxy for clients whose AWS endpoints cannot be configured: connections to the AWS hostnames of a project go to its
/// server, with TLS as it is, and connections to other hosts go to these hosts.
///
/// It uses HTTP/1.1 without TLS, accepts CONNECT to port 443 only, and answers `GET /proxy.pac`. Safe to use from any thread.
public final class ForwardProxy: Sendable {
    /// What it is given.
    public struct Options: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        public var port = ReachReport.proxyPort
        /// The address where the server listens for TLS.
        public var serverHost: String
        /// The port where the server listens for TLS.
        public var serverPort: Int
        /// The AWS hostnames of the project.
        public var names: [String]
        /// Whether connections to all other hosts are refused.
        public var refusesOthers = false
        /// Required unless the address is a loopback address.
        public var credentials: ProxyCredentials?

        /// Options with the defaults.
        public init(serverHost: String, serverPort: Int, names: [String]) {
            (self.serverHost, self.serverPort, self.names) = (serverHost, serverPort, names)
        }
    }

    private let group: MultiThreadedEventLoopGroup
    private let resolver: ProxyResolver
    private let channel: any Channel
    private let services: ProxyConnection.Services
    /// `HOST:PORT`, the port as the system has given it.
    public let address: String

    /// Starts to listen.
    public static func start(_ options: Options, log: Log) async throws(ServerError) -> ForwardProxy {
        try await start(options, log: log, limits: ProxyLimits()) { _, _ in }
    }

    /// - Parameter change: Test hook: adjusts the rules and the dialer.
    static func start(
        _ options: Options, log: Log, limits: ProxyLimits,
        _ change: (inout ProxyPolicy, inout ProxyDialer) -> Void
    ) async throws(ServerError) -> ForwardProxy {
        try check(options)
        var policy = ProxyPolicy(
            serverNames: Set(options.names.map { $0.lowercased() }), refusesOthers: options.refusesOthers,
            credentials: options.credentials)
        let resolver = ProxyResolver(limits)
        var dialer = ProxyDialer(
            limits: limits, serverHost: options.serverHost, serverPort: options.serverPort, resolver: resolver)
        change(&policy, &dialer)
        let services = ProxyConnection.Services(policy, limits, dialer, log: log)
        // One loop: a tunnel copies bytes, and the machine is a developer's.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let channel = try await bootstrap(group, services).bind(host: options.host, port: options.port).get()
            let proxy = ForwardProxy(options, group, resolver, channel, services)
            guard let port = channel.localAddress?.port, await !services.dialer.leads(toPort: port, on: group.next())
            else {
                await proxy.stop()
                throw ServerError(
                    .usage, "--to \(HostPort.text(options.serverHost, options.serverPort)) is the proxy itself.",
                    hint: "Name the address where the server listens for TLS.")
            }
            return proxy
        } catch let error as ServerError {
            throw error
        } catch {
            await end(group, resolver)
            let place = HostPort.text(options.host, options.port)
            throw ServerError(
                listening: HTTPServerError(binding: error, to: place), host: options.host, port: options.port, .listen)
        }
    }

    private init(
        _ options: Options, _ group: MultiThreadedEventLoopGroup, _ resolver: ProxyResolver, _ channel: any Channel,
        _ services: ProxyConnection.Services
    ) {
        (self.group, self.resolver, self.channel, self.services) = (group, resolver, channel, services)
        address = HostPort.text(options.host, channel.localAddress?.port ?? options.port)
    }

    /// Routes further connections to these names to this server. Open tunnels stay as they are, and so does the server's address
    /// if the new one is the proxy itself.
    public func update(names: [String], serverHost: String, serverPort: Int) async {
        services.setNames(names)
        var dialer = services.dialer
        (dialer.serverHost, dialer.serverPort) = (serverHost, serverPort)
        guard let port = channel.localAddress?.port, await !dialer.leads(toPort: port, on: group.next()) else { return }
        services.setDialer(dialer)
    }

    /// Closes all connections. It does not wait for names that are being resolved.
    public func stop() async {
        try? await channel.close()
        await services.closeAll()
        await Self.end(group, resolver)
    }

    /// The loop ends after the resolver, which reports to it. It waits for both for a second at most.
    private static func end(_ group: MultiThreadedEventLoopGroup, _ resolver: ProxyResolver) async {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        resolver.end { group.shutdownGracefully { _ in end.finish() } }
        let deadline = Task {
            try? await Task.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in ended {}
        deadline.cancel()
    }

    /// Requires credentials beyond loopback. Proxied connections have this machine's address, so an open proxy would let anyone
    /// act as it.
    private static func check(_ options: Options) throws(ServerError) {
        guard !HostPort.isLoopback(options.host) else { return }
        guard let credentials = options.credentials else {
            throw ServerError(
                .usage, "A proxy that listens beyond this machine, on \(options.host), requires --credentials.",
                hint:
                    "Write a password of \(ProxyLimits.passwordCharactersMin) characters or more into a file, and give "
                    + "--credentials USER:FILE.")
        }
        guard credentials.passwordCount >= ProxyLimits.passwordCharactersMin else {
            throw ServerError(
                .usage,
                "The proxy's password has fewer than \(ProxyLimits.passwordCharactersMin) characters, and the proxy listens "
                    + "beyond this machine, on \(options.host).")
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ services: ProxyConnection.Services
    ) -> ServerBootstrap {
        let limits = services.limits
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(limits.socketBytesMax))
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytesMax))
            .childChannelOption(.writeBufferWaterMark, value: limits.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = ProxyConnection(services, Peer(channel.remoteAddress))
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }
}

extension ProxyDialer {
    /// Whether the server's address is a port of this machine's. A name that cannot be resolved now is none.
    fileprivate func leads(toPort port: Int, on loop: any NIOCore.EventLoop) async -> Bool {
        guard serverPort == port else { return false }
        let (host, resolve) = (serverHost, resolve)
        let addresses =
            if let serverAddresses { serverAddresses } else {
                try? await resolver.run(for: ProxyResolver.Interest(), on: loop) { try resolve(host) }.get()
            }
        let own = Self.ownAddresses
        return (addresses ?? []).contains { $0.scope == .loopback || $0.isUnspecified || own.contains($0) }
    }
}

extension IPAddress {
    /// Connections to it reach this machine on most systems.
    fileprivate var isUnspecified: Bool { text == "0.0.0.0" || text == "::" }
}
