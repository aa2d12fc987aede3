import NIOCore
public import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The entry point of this target: listens, serves HTTP/1.1 on a few event loops, and shuts down in order.
///
/// Each connection belongs to one loop; the codec is `Connection`, and what is done with a request is the `Responder`.
/// A server that has been made is to be shut down, whether or not it ever listened: its loops are threads.
public final class HTTPServer: Sendable {
    /// The loops. Their number and order never change.
    public let loops: [EventLoop]
    /// The threads of the loops, for clients that share them.
    public let group: MultiThreadedEventLoopGroup

    private let service: Service
    private let listeners = Mutex<[any Channel]?>([])

    /// A server that does not listen yet.
    public init(limits: HTTPLimits = HTTPLimits(), loopCount: Int = 1, responder: some Responder) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, loopCount))
        loops = group.makeIterator().enumerated().map { EventLoop(index: $0.offset, nio: $0.element) }
        service = Service(limits: limits.clamped, loops: loops, responder: responder)
        for loop in loops { loop.execute { loop.startTicking() } }
    }

    /// Begins to listen and returns the port, which is another than 0 even if `port` is 0. Blocks until the host's
    /// name is resolved; not to be called on a loop.
    ///
    /// - Parameters:
    ///   - listenerProtocol: What clients may speak there.
    ///   - isForOperators: Whether requests that come there say so (`Request.isForOperators`).
    public func listen(
        host: String, port: Int, _ listenerProtocol: ListenerProtocol = .any, isForOperators: Bool = false
    ) throws(HTTPServerError) -> Int {
        let place = "\(host):\(port)"
        guard (0...65_535).contains(port) else {
            throw HTTPServerError(code: .badAddress, message: "\(port) is no port. Choose one from 0 to 65535.")
        }
        do {
            let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
            // Under the lock, because loops that have ended could not bind: `shutdown` waits until this is done.
            return try listeners.withLock { listeners in
                guard listeners != nil else {
                    throw HTTPServerError(code: .other, message: "Cannot listen on \(place): the server has shut down.")
                }
                let listener = try bootstrap(listenerProtocol, isForOperators).bind(to: address).wait()
                listeners?.append(listener)
                return listener.localAddress?.port ?? port
            }
        } catch {
            throw HTTPServerError(binding: error, to: place)
        }
    }

    /// Begins to listen on a Unix-domain socket that only processes of this user and of root may use: the file has mode
    /// 0600, and the system is asked for the user of each client. A socket that an earlier process left at the path is
    /// replaced. The caller removes the file after `shutdown`.
    ///
    /// - Parameter connectionsMax: Connections of this socket at one time; one more is closed at once.
    public func listen(unixSocket path: String, connectionsMax: Int) throws(HTTPServerError) {
        do {
            try listeners.withLock { listeners in
                guard listeners != nil else {
                    throw HTTPServerError(code: .other, message: "Cannot listen on \(path): the server has shut down.")
                }
                let listener = try localBootstrap(connectionsMax: connectionsMax)
                    .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).wait()
                listeners?.append(listener)
                guard unsafe chmod(path, 0o600) == 0 else { throw IOError(errnoCode: errno, reason: "chmod") }
            }
        } catch {
            throw HTTPServerError(binding: error, to: path)
        }
    }

    /// Has handshakes from now on show these certificates, or be turned away where there are none. Connections that
    /// stand keep what they were shown. From any thread.
    public func setTLS(_ certificates: TLSCertificates?) { service.setTLS(certificates) }

    /// Counters of connections since the start, read without stopping anyone.
    public var statistics: HTTPStatistics { service.statistics }

    /// Stops: no new connection, no new request; what is under way is answered, for at most `drainSeconds`. Then the
    /// loops end. Returns when all is done; a second call returns at once.
    ///
    /// - Parameter release: Ends what else runs on the loops; awaited once no connection is left.
    public func shutdown(drainSeconds: Int, release: () async -> Void = {}) async {
        let listeners = listeners.withLock { listeners in
            defer { listeners = nil }
            return listeners
        }
        guard let listeners else { return }
        // The listeners first, each awaited: a connection accepted later would not be drained.
        for listener in listeners { try? await listener.close().get() }
        let drained = loops[0].nio.makePromise(of: Void.self)
        service.beginDraining(drained)
        for loop in loops { loop.execute { loop.drain() } }
        let timer = loops[0].schedule(afterMilliseconds: max(0, drainSeconds) * 1000) { [loops] in
            for loop in loops { loop.execute { loop.closeAll() } }
        }
        try? await drained.futureResult.get()
        timer.cancel()
        await release()
        await service.compression.end()
        for loop in loops { try? await loop.nio.submit { loop.stop() }.get() }
        try? await group.shutdownGracefully()
    }

    /// One listening socket; the group hands the connections to its loops in turn.
    private func bootstrap(_ listenerProtocol: ListenerProtocol, _ isForOperators: Bool) -> ServerBootstrap {
        let limits = service.limits
        let mark = ChannelOptions.Types.WriteBufferWaterMark(
            low: limits.outgoingBytesMax / 2, high: limits.outgoingBytesMax)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 64)
            .serverChannelInitializer { [loops, service] channel in
                channel.eventLoop.makeCompletedFuture {
                    let shortage = ListenerShortage(
                        service: service, loop: Self.loop(of: channel, among: loops),
                        takesClearText: listenerProtocol != .tls)
                    try channel.pipeline.syncOperations.addHandler(shortage)
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: mark)
            .childChannelInitializer { [loops, service] channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(
                        loop: Self.loop(of: channel, among: loops), service: service, peer: Peer(channel.remoteAddress),
                        listenerProtocol, isForOperators: isForOperators)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    /// A listening Unix-domain socket.
    private func localBootstrap(connectionsMax: Int) -> ServerBootstrap {
        let openCount = SharedCount()
        let mark = ChannelOptions.Types.WriteBufferWaterMark(
            low: service.limits.outgoingBytesMax / 2, high: service.limits.outgoingBytesMax)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: mark)
            .childChannelInitializer { [loops, service] channel in
                channel.eventLoop.makeCompletedFuture {
                    let user = try LocalUser.ofPeer(of: channel)
                    guard user == getuid() || user == 0 else { throw LocalUser.Foreign() }
                    let isOneTooMany = openCount.add(1) > connectionsMax
                    channel.closeFuture.whenComplete { _ in openCount.add(-1) }
                    guard !isOneTooMany else { throw ChannelError.alreadyClosed }
                    let connection = Connection(
                        loop: Self.loop(of: channel, among: loops), service: service,
                        peer: Peer(description: "operators.sock, user \(user)", localUser: user), .any)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
    }

    private static func loop(of channel: any Channel, among loops: [EventLoop]) -> EventLoop {
        guard let loop = loops.first(where: { $0.nio === channel.eventLoop }) else {
            preconditionFailure("a channel runs on one of the server's own loops")
        }
        return loop
    }
}

/// A number that several loops count with.
private final class SharedCount: Sendable {
    private let value = Atomic(0)

    /// Adds; returns the sum.
    @discardableResult
    func add(_ amount: Int) -> Int { value.add(amount, ordering: .relaxed).newValue }
}
