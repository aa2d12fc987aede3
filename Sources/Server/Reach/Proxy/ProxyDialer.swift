import NIOCore
import NIOPosix

/// Opens the connections of a forward proxy: resolves a name once, checks each of its addresses, and connects to one of those
/// that were checked.
struct ProxyDialer: Sendable {
    let limits: ProxyLimits
    /// Where the server listens.
    let serverHost: String
    let serverPort: Int
    /// The system's resolver blocks its thread.
    let resolver: NIOThreadPool
    /// Finds the addresses of a name; may block.
    var resolve: @Sendable (String) throws -> [IPAddress] = { try IPAddress.resolve($0) }
    /// Why none of these addresses is connected to; nil where each may be. May block.
    var refusal: @Sendable ([IPAddress]) -> ProxyRefusal? = {
        ProxyPolicy.refusal(of: $0, ownAddresses: Self.ownAddresses)
    }

    /// Those of this machine's interfaces, at present.
    static var ownAddresses: Set<IPAddress> {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address?.ipAddress.flatMap(IPAddress.init) })
    }

    /// A connection to the server. It fails with a `ProxyRefusal`.
    func connectToServer(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let (host, resolve) = (serverHost, resolve)
        return connect(port: serverPort, on: loop) { try IPAddress(host).map { [$0] } ?? resolve(host) }
    }

    /// A connection to a target that any client may name. It fails with a `ProxyRefusal`.
    func connect(to target: ProxyTarget, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let (resolve, refusal) = (resolve, refusal)
        return connect(port: target.port, on: loop) {
            let addresses = try target.address.map { [$0] } ?? resolve(target.host)
            if let refusal = refusal(addresses) { throw refusal }
            return addresses
        }
    }

    private func connect(
        port: Int, on loop: any EventLoop, _ addresses: @escaping @Sendable () throws -> [IPAddress]
    ) -> EventLoopFuture<any Channel> {
        let deadline = NIODeadline.now() + .seconds(Int64(limits.connectSeconds))
        return resolver.runIfActive(eventLoop: loop, addresses).flatMap { addresses in
            attempt(addresses.prefix(limits.addressesMax), port, deadline, on: loop)
        }.flatMapErrorThrowing { error in
            throw error as? ProxyRefusal ?? .badGateway("The target's name is unknown, or nothing answers there.")
        }
    }

    private func attempt(
        _ addresses: ArraySlice<IPAddress>, _ port: Int, _ deadline: NIODeadline, on loop: any EventLoop
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

    private func bootstrap(on loop: any EventLoop) -> ClientBootstrap {
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
