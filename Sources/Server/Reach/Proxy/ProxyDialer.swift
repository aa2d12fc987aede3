import HTTP
import NIOCore
import NIOPosix

/// Opens the connections of a forward proxy: resolves a name once, checks each of its addresses, and connects to one of those
/// that were checked.
struct ProxyDialer: Sendable {
    let limits: ProxyLimits
    /// Where the server listens.
    var serverHost: String
    var serverPort: Int
    let resolver: ProxyResolver
    /// Finds the addresses of a name; may block.
    var resolve: @Sendable (String) throws -> [IPAddress] = { try IPAddress.resolve($0) }
    /// Why none of these addresses is connected to; nil if each may be. May block.
    var refusal: @Sendable ([IPAddress]) -> ProxyRefusal? = {
        ProxyPolicy.refusal(of: $0, ownAddresses: Self.ownAddresses)
    }

    /// Those of this machine's interfaces, at present.
    static var ownAddresses: Set<IPAddress> {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address?.ipAddress.flatMap(IPAddress.init) })
    }

    /// The server's addresses, if they are known without the system's resolver: names of other hosts that are slow to resolve must
    /// not delay connections to the server.
    var serverAddresses: [IPAddress]? {
        if let address = IPAddress(serverHost) { return [address] }
        return HostPort.isLoopback(serverHost) ? ["127.0.0.1", "::1"].compactMap { IPAddress($0) } : nil
    }

    /// A connection to the server. It fails with a `ProxyRefusal`.
    func connectToServer(for interest: ProxyResolver.Interest, on loop: any NIOCore.EventLoop) -> EventLoopFuture<
        any Channel
    > {
        let failure = ProxyRefusal.badGateway(
            "Cannot connect to the Syncline server at \(HostPort.text(serverHost, serverPort)). Start it, or set --to.")
        let (host, resolve) = (serverHost, resolve)
        let addresses =
            serverAddresses.map { loop.makeSucceededFuture($0) }
            ?? resolver.run(for: interest, on: loop) { try resolve(host) }
        return connect(to: addresses, port: serverPort, orFail: failure, on: loop)
    }

    /// A connection to a target that any client may name. It fails with a `ProxyRefusal`.
    func connect(
        to target: ProxyTarget, for interest: ProxyResolver.Interest, on loop: any NIOCore.EventLoop
    ) -> EventLoopFuture<any Channel> {
        let failure = ProxyRefusal.badGateway("Cannot resolve or connect to the target host.")
        let (resolve, refusal) = (resolve, refusal)
        let addresses = resolver.run(for: interest, on: loop) {
            let addresses = try target.address.map { [$0] } ?? resolve(target.host)
            if let refusal = refusal(addresses) { throw refusal }
            return addresses
        }
        return connect(to: addresses, port: target.port, orFail: failure, on: loop)
    }

    private func connect(
        to addresses: EventLoopFuture<[IPAddress]>, port: Int, orFail failure: ProxyRefusal,
        on loop: any NIOCore.EventLoop
    ) -> EventLoopFuture<any Channel> {
        let deadline = NIODeadline.now() + .seconds(Int64(limits.connectSeconds))
        return addresses.flatMap { addresses in
            attempt(addresses.prefix(limits.addressesMax), port, deadline, on: loop)
        }.flatMapErrorThrowing { error in throw error as? ProxyRefusal ?? failure }
    }

    private func attempt(
        _ addresses: ArraySlice<IPAddress>, _ port: Int, _ deadline: NIODeadline, on loop: any NIOCore.EventLoop
    ) -> EventLoopFuture<any Channel> {
        let left = deadline - .now()
        guard left > .zero else { return loop.makeFailedFuture(ProxyRefusal.connectTimeout) }
        guard let address = addresses.first, let place = try? SocketAddress(ipAddress: address.text, port: port) else {
            return loop.makeFailedFuture(ProxyRefusal.badGateway("The host has no address."))
        }
        let others = addresses.dropFirst()
        // Each address has its share of the time.
        let timeout = left / (others.count + 1)
        return bootstrap(on: loop).connectTimeout(timeout).connect(to: place).flatMapError { error in
            others.isEmpty ? loop.makeFailedFuture(error) : attempt(others, port, deadline, on: loop)
        }
    }

    private func bootstrap(on loop: any NIOCore.EventLoop) -> ClientBootstrap {
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(limits.socketBytesMax))
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.readBytesMax))
            .channelOption(.writeBufferWaterMark, value: limits.waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ProxyTunnelEnd(limits))
                }
            }
    }
}

extension ProxyLimits {
    /// One more read after the upper mark stays within the bound.
    var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        let high = max(2, bufferedBytesMax - readBytesMax)
        return .init(low: high / 2, high: high)
    }
}

extension TimeAmount {
    fileprivate static func / (amount: TimeAmount, count: Int) -> TimeAmount {
        .nanoseconds(amount.nanoseconds / Int64(count))
    }
}
