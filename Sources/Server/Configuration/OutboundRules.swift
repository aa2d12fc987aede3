import GraphQL
import HTTP
import JSON

/// `outbound`: where the server's own calls may go. A name is resolved first, and all of its addresses must be allowed.
public struct OutboundRules: Sendable, Hashable {
    /// What may be called that no list has.
    public enum Mode: String, Sendable, CaseIterable {
        /// Public addresses, and local ones that the configuration names by their address or as `localhost`.
        case open
        /// Nothing.
        case listed
    }

    /// A host or addresses, as `allow` and `deny` have them.
    enum Entry: Sendable, Hashable {
        /// A name in lower case; `*.example.com` is every name below `example.com`.
        case host(String)
        case range(IPRange)

        init?(_ text: String) {
            if let range = IPRange(text) {
                self = .range(range)
            } else {
                let name = text.lowercased()
                guard CertificateNames.isName(name), !name.contains("/") else { return nil }
                self = .host(name)
            }
        }

        func matches(_ host: String, _ address: IPAddress) -> Bool {
            switch self {
            case .range(let range): range.contains(address)
            case .host(let name) where name.hasPrefix("*."): host.hasSuffix(name.dropFirst())
            case .host(let name): host == name
            }
        }
    }

    /// What may be called that no list has.
    public var mode = Mode.open
    var allow: [Entry] = []
    var deny: [Entry] = []
    /// Whether any name may have an address of this machine: in `syncline dev`.
    var allowsLoopbackNames = false

    /// The default.
    public init() {}

    /// Why a host may not be called at an address, for the log; `nil` when it may.
    ///
    /// - Parameter host: The host of a URL of the configuration.
    func refusal(of host: String, at address: IPAddress) -> String? {
        let host = host.lowercased()
        if deny.contains(where: { $0.matches(host, address) }) { return "outbound.deny lists it" }
        let scope = address.scope
        if scope == .special { return "an address of this kind is never called" }
        if allow.contains(where: { $0.matches(host, address) }) { return nil }
        if mode == .listed { return "outbound.mode is \"listed\", and outbound.allow does not list it" }
        switch scope {
        case .special, .global: return nil
        case .loopback where allowsLoopbackNames: return nil
        case .loopback, .private:
            let isNamed = IPAddress(host) != nil || host == "localhost" || host.hasSuffix(".localhost")
            return isNamed ? nil : "a name with a local address is called only if outbound.allow lists it"
        }
    }

    mutating func read(_ section: ConfigurationSection) {
        mode = section.choice("mode", Mode.self) ?? mode
        allow = Self.entries("allow", of: section)
        deny = Self.entries("deny", of: section)
        section.finish()
    }

    private static func entries(_ key: String, of section: ConfigurationSection) -> [Entry] {
        (section.strings(key) ?? []).compactMap { text in
            let entry = Entry(text)
            if entry == nil {
                section.report(
                    key,
                    "'\(section.name(key))' lists hosts, *.suffixes and addresses such as 10.0.0.0/8, and \"\(text)\" is "
                        + "none of them.")
            }
            return entry
        }
    }
}
