import Testing

@testable import HTTP

extension Request {
    /// The request that a client sends as this text: its head, without the empty line that ends it.
    static func read(
        _ head: String, peer: Peer = Peer(isLoopback: true, description: "127.0.0.1:4711"), isSecure: Bool = false,
        isToBeRedirected: Bool = false
    ) throws -> Request {
        var parser = RequestParser(
            limits: HTTPLimits(), peer: peer, isSecure: isSecure,
            listenerTraits: isToBeRedirected ? .isToBeRedirected : [])
        unsafe Array("\(head)\r\n\r\n".utf8).withUnsafeBytes { unsafe parser.append($0) }
        guard case .request = parser.next() else { throw parser.refusal ?? .unanswered }
        return parser.takeRequest()
    }
}
