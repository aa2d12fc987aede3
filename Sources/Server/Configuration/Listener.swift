public import HTTP
import JSON

/// One of `listeners`: an address to listen on beside that of `host`, `port` and `tlsPort`.
public struct Listener: Sendable, Hashable {
    /// The address, without brackets.
    public var host: String
    /// The port; 0 takes a free one.
    public var port: Int
    /// What clients may speak there.
    public var listenerProtocol: ListenerProtocol
    /// Whether its host was given; otherwise it is that of the server.
    private(set) var hasOwnHost = true

    /// A listener of these parts.
    public init(host: String, port: Int, _ listenerProtocol: ListenerProtocol = .any) {
        (self.host, self.port, self.listenerProtocol) = (HostPort.withoutBrackets(host), port, listenerProtocol)
    }

    /// The most listeners: each has a socket.
    static let countMax = 16

    /// What a text may be, for complaints.
    static let rule = "HOST:PORT, HOST:PORT,tls or HOST:PORT,redirect"

    /// Reads `HOST:PORT`, with `,tls` or `,redirect` after it; an IPv6 address has brackets.
    init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, let (host, port) = HostPort.parts(of: parts[0], portMin: 0),
            let listenerProtocol = parts.count == 1 ? .any : ListenerProtocol(rawValue: String(parts[1]))
        else { return nil }
        self.init(host: host, port: port, listenerProtocol)
    }

    /// Whether it needs certificates.
    var needsTLS: Bool { listenerProtocol != .any }

    /// Reads an element of the list; nil if it is wrong, which is reported.
    ///
    /// - Parameter otherHost: The host where none is given.
    init?(_ section: ConfigurationSection, otherHost: String) {
        let host = section.string("host")
        let port = section.integer("port", in: 0...65535)
        let listenerProtocol = section.choice("protocol", ListenerProtocol.self)
        if port == nil, section.object["port"] == nil { section.reportPath([], "A listener has a 'port'.") }
        section.finish()
        guard let port else { return nil }
        self.init(host: host ?? otherHost, port: port, listenerProtocol ?? .any)
        hasOwnHost = host != nil
    }
}
