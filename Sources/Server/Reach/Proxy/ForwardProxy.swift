import HTTP
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A forward proxy for clients whose AWS addresses cannot be configured: connections to the AWS names of a project go to its
/// server, TLS and all, and those to other hosts pass to these hosts.
///
/// It speaks HTTP/1.1 in clear text, carries CONNECT to port 443 alone, and answers `GET /proxy.pac`. Safe to use from any
/// thread.
public final class ForwardProxy: Sendable {
    /// What it is given.
    public struct Options: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        public var port = ReachReport.proxyPort
        /// The address where the server listens for TLS.
        public var serverHost: String
        /// The port where it does.
        public var serverPort: Int
        /// The AWS names of the project.
        public var names: [String]
        /// Whether connections to all other hosts are refused.
        public var refusesOthers = false
        /// Required where the address is not the loopback's.
        public var credentials: ProxyCredentials?

        /// Options with the defaults.
        public init(serverHost: String, serverPort: Int, names: [String]) {
            (self.serverHost, self.serverPort, self.names) = (serverHost, serverPort, names)
        }
    }

    private let group: MultiThreadedEventLoopGroup
    private let resolver: NIOThreadPool
    private let channel: any Channel
    /// `HOST:PORT`, the port as the system has given it.
    public let address: String

    /// Starts to listen.
    public static func start(_ options: Options, log: Log) async throws(ServerError) -> ForwardProxy {
        try await start(options, log: log, limits: ProxyLimits()) { _, _ in }
    }

    /// - Parameter change: What a test has otherwise.
    static func start(
        _ options: Options, log: Log, limits: ProxyLimits,
        _ change: (inout ProxyPolicy, inout ProxyDialer) -> Void
    ) async throws(ServerError) -> ForwardProxy {
        try check(options)
        var policy = ProxyPolicy(
            serverNames: Set(options.names.map { $0.lowercased() }), refusesOthers: options.refusesOthers,
            credentials: options.credentials)
        let resolver = NIOThreadPool(numberOfThreads: limits.resolverThreadCount)
        var dialer = ProxyDialer(
            limits: limits, serverHost: options.serverHost, serverPort: options.serverPort, resolver: resolver)
        change(&policy, &dialer)
        let services = ProxyConnection.Services(policy, limits, dialer, log: log)
        // One loop: a tunnel copies bytes, and the machine is a developer's.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        resolver.start()
        do {
            let channel = try await bootstrap(group, services).bind(host: options.host, port: options.port).get()
            let proxy = ForwardProxy(options, group, resolver, channel)
            guard let port = channel.localAddress?.port, await !services.dialer.leads(toPort: port, on: group.next())
            else {
                await proxy.stop()
                throw ServerError(
                    .usage, "--to \(options.serverHost):\(options.serverPort) is the proxy itself.",
                    hint: "Name the address where the server listens for TLS.")
            }
            return proxy
        } catch let error as ServerError {
            throw error
        } catch {
            try? await group.shutdownGracefully()
            try? await resolver.shutdownGracefully()
            throw Self.error(error, options)
        }
    }

    private init(
        _ options: Options, _ group: MultiThreadedEventLoopGroup, _ resolver: NIOThreadPool, _ channel: any Channel
    ) {
        (self.group, self.resolver, self.channel) = (group, resolver, channel)
        address = ReachURL.authority(options.host, channel.localAddress?.port ?? options.port)
    }

    /// Closes all connections.
    public func stop() async {
        try? await channel.close()
        try? await group.shutdownGracefully()
        try? await resolver.shutdownGracefully()
    }

    /// Requires credentials beyond loopback: every client of the proxy connects to other hosts from this machine's address.
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
                    let connection = ProxyConnection(services, Self.peer(channel.remoteAddress))
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    private static func peer(_ address: SocketAddress?) -> Peer {
        guard let address, let ip = address.ipAddress else { return Peer() }
        let port = address.port ?? 0
        return Peer(
            isLoopback: HostPort.isLoopback(ip), description: ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)")
    }

    private static func error(_ error: any Error, _ options: Options) -> ServerError {
        let place = "\(options.host):\(options.port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            let holder = PortHolder.name(ofPort: options.port).map { " by \($0)" } ?? ""
            return ServerError(
                .address, "Cannot listen on \(place): the port is taken\(holder). Choose another with --listen.")
        case EACCES, EPERM:
            return ServerError(
                .address, "Cannot listen on \(place): not allowed. Ports from 1024 on need no privilege.")
        default:
            return ServerError(
                .usage, "Cannot listen on \(place): no address of this machine. Try 127.0.0.1, or 0.0.0.0 for all.")
        }
    }
}

extension ProxyDialer {
    /// Whether the server's address is a port of this machine's. A name that cannot be resolved now is none.
    fileprivate func leads(toPort port: Int, on loop: any NIOCore.EventLoop) async -> Bool {
        guard serverPort == port else { return false }
        let (host, resolve) = (serverHost, resolve)
        let addresses = try? await resolver.runIfActive(eventLoop: loop) {
            try IPAddress(host).map { [$0] } ?? resolve(host)
        }.get()
        let own = Self.ownAddresses
        return (addresses ?? []).contains { $0.scope == .loopback || $0.isUnspecified || own.contains($0) }
    }
}

extension IPAddress {
    /// Connections to it reach this machine on most systems.
    fileprivate var isUnspecified: Bool { text == "0.0.0.0" || text == "::" }
}
