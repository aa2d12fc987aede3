import Encodings

/// What a client says by the HTTP request that opens its WebSocket.
public struct RealtimeOpening: Sendable {
    /// The subprotocols that it offers, in its order of preference (RFC 6455 §4.1).
    public var subprotocols: [String]
    /// The query of the target as it was sent, percent-encoded, without its `?`.
    public var query: [UInt8]?
    /// The header fields of the request, names in any case.
    public var headers: [(name: String, value: String)]

    /// An opening of these parts.
    public init(
        subprotocols: [String] = [], query: [UInt8]? = nil, headers: [(name: String, value: String)] = []
    ) {
        self.subprotocols = subprotocols
        self.query = query
        self.headers = headers
    }

    /// Where AppSync's clients put the authorization header object at the upgrade
    /// (reference: appsync-protocol, "Realtime connection").
    enum Carrier: Sendable, Hashable {
        /// There is none.
        case none
        /// The first carrier that was found brought this.
        case found(RealtimeAuthorization)
        /// The first carrier that was found cannot be decoded.
        case unreadable
    }

    /// The carrier: of a subprotocol, the query and the request's own headers, the first that is there.
    func carrier(bytesMax: Int) -> Carrier {
        if let text = subprotocols.first(where: { $0.hasPrefix(Self.headerPrefix) }) {
            return Self.decode(Array(text.utf8.dropFirst(Self.headerPrefix.utf8.count)), bytesMax: bytesMax)
        }
        if let text = parameter("header") {
            guard let text, hasEmptyPayload else { return .unreadable }
            return Self.decode(text, bytesMax: bytesMax)
        }
        let own = RealtimeAuthorization(headers)
        return own.hasCredentials ? .found(own) : .none
    }

    private static let headerPrefix = "header-"

    private static func decode(_ text: [UInt8], bytesMax: Int) -> Carrier {
        guard text.count <= bytesMax, let json = Base64.decode(text) else { return .unreadable }
        return unsafe json.withUnsafeBytes { unsafe RealtimeAuthorization(object: $0) }.map { .found($0) }
            ?? .unreadable
    }

    /// Beside `header` stands `payload`, which is `{}` or empty.
    private var hasEmptyPayload: Bool {
        guard let text = parameter("payload") else { return true }
        guard let text, let json = Base64.decode(text) else { return false }
        return unsafe json.isEmpty
            || json.withUnsafeBytes { unsafe RealtimeAuthorization(object: $0)?.isEmpty ?? false }
    }

    /// The first value of a parameter; nil without one, and nil inside for a broken escape.
    ///
    /// Clients send base64 raw: a `+` is a plus, whatever forms make of it.
    private func parameter(_ name: String) -> [UInt8]?? {
        for parameter in query?.split(separator: UInt8(ascii: "&")) ?? [] {
            let nameEnd = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard parameter[..<nameEnd].elementsEqual(name.utf8) else { continue }
            return .some(Percent.decodeStrictly(parameter[nameEnd...].dropFirst()))
        }
        return .none
    }
}
