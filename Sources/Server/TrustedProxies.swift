import HTTP

/// `trustedProxies`: the reverse proxies in front of this server, whose `X-Forwarded-For` names the clients. Without it, all
/// clients of a proxy are counted as one, since the header of anybody else proves nothing.
struct TrustedProxies: Sendable, Hashable {
    private var ranges: [IPRange] = []
    /// The last addresses of a header that are looked at.
    private static let hopsMax = 32

    init() {}

    mutating func read(_ file: ConfigurationSection) {
        guard let texts = file.strings("trustedProxies") else { return }
        ranges = texts.compactMap { text in
            let range = IPRange(text)
            if range == nil {
                file.report(
                    "trustedProxies", "'trustedProxies' lists addresses and networks, and \"\(text)\" is neither.",
                    hint: "Write an address such as 10.0.0.5, or a network such as 10.0.0.0/8.")
            }
            return range
        }
    }

    /// The client of a request that trusted proxies have forwarded: the last address in `X-Forwarded-For` that is none of
    /// theirs. Nil for a request of another peer.
    func client(of request: Request) -> Peer? {
        guard !ranges.isEmpty, var client = IPAddress(request.peer.address), isTrusted(client) else { return nil }
        // Each proxy adds the address that it was called from, to the last line or as a line of its own.
        let hops = request.headers.filter { $0.name == "x-forwarded-for" }
            .flatMap { $0.value.split(separator: ",") }.suffix(Self.hopsMax)
        guard !hops.isEmpty else { return nil }
        for hop in hops.reversed() {
            // What cannot be read was not written by a proxy.
            guard let address = Self.address(hop) else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return Peer(description: HostPort.text(client.text, 0))
    }

    private func isTrusted(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// An address, perhaps with a port after it.
    private static func address(_ hop: Substring) -> IPAddress? {
        let text = String(hop.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        if let address = IPAddress(text) { return address }
        guard let colon = text.lastIndex(of: ":"), text[text.index(after: colon)...].allSatisfy(\.isNumber) else {
            return nil
        }
        return IPAddress(String(text[..<colon]))
    }
}
