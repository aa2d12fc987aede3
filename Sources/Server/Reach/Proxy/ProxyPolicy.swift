/// Decides which requests a forward proxy accepts and where it connects.
struct ProxyPolicy: Sendable {
    /// The names that go to the server, in lower case.
    var serverNames: Set<String>
    /// Whether every other name is refused.
    var refusesOthers = false
    /// Nil where none are required.
    var credentials: ProxyCredentials?
    /// The one port that is connected to: that of https.
    var port = 443

    /// How a request is handled.
    enum Decision: Sendable, Hashable {
        /// A tunnel to the server.
        case server
        /// A tunnel to the target, if its addresses are allowed.
        case destination(ProxyTarget)
        case autoConfiguration(isHead: Bool)
        case refusal(ProxyRefusal)
    }

    func decide(_ request: ProxyRequest) -> Decision {
        switch request {
        case .autoConfiguration(let isHead, _): return .autoConfiguration(isHead: isHead)
        case .connect(let target, let given):
            if let credentials, !credentials.accepts(given) { return .refusal(.credentialsRequired) }
            guard target.port == port else {
                return .refusal(.forbidden("This proxy connects only to port \(port)."))
            }
            if serverNames.contains(target.host) { return .server }
            return refusesOthers
                ? .refusal(.forbidden("This proxy connects only to the AWS hostnames of the project."))
                : .destination(target)
        }
    }

    /// Why none of these addresses is connected to; nil if each may be. Refuses if any address is disallowed; otherwise the
    /// name's owner could choose which one is used.
    ///
    /// - Parameter ownAddresses: Those of this machine.
    static func refusal(of addresses: [IPAddress], ownAddresses: Set<IPAddress>) -> ProxyRefusal? {
        guard !addresses.isEmpty else { return .badGateway("The host has no address.") }
        let areAllowed = addresses.allSatisfy { isPublic($0) && !ownAddresses.contains($0) }
        return areAllowed
            ? nil : .forbidden("The host has an address that is not public, or one of the proxy's own machine.")
    }

    /// Whether an address is one of the public internet's: neither loopback, link-local, private, unique-local, multicast,
    /// reserved nor for documentation, and no IPv6 address that has one of IPv4 in it, which would be checked as the wrong
    /// one. NAT64's are checked by the IPv4 address that they stand for.
    static func isPublic(_ address: IPAddress) -> Bool {
        guard address.scope == .global, !otherRanges.contains(where: { $0.contains(address) }) else { return false }
        return mapped.contains(address) || translated.contains(address) || unicast.contains(address)
    }

    /// RFC 4291 §2.5.5.2, as `IPAddress` has all addresses of IPv4. The prefix of a range counts of 128 bits here.
    private static let mapped = range("0.0.0.0/0")
    /// RFC 6052 §2.1.
    private static let translated = range("64:ff9b::/96")
    /// RFC 4291 §2.4: what is assigned of global unicast.
    private static let unicast = range("2000::/3")
    /// The registries of special-purpose addresses (RFC 6890), beside what `IPAddress.scope` knows.
    private static let otherRanges = [
        // Protocol assignments, documentation, relays of 6to4, benchmarks.
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        // Protocol assignments with Teredo, documentation, 6to4.
        "2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16",
    ].map(range)

    private static func range(_ text: String) -> IPRange {
        guard let range = IPRange(text) else { preconditionFailure("\(text) is a range of addresses") }
        return range
    }
}
