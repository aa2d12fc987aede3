import HTTP

/// The client of a request that a trusted proxy has forwarded, in place of the peer of its connection.
final class ForwardedClient: Sendable {
    let peer: Peer
    let addressHash: Int

    init(_ peer: Peer) { (self.peer, addressHash) = (peer, peer.network.hashValue) }
}
