import HTTP

/// `tls`, `tlsPort`, `tlsOnly` and `tlsHosts`: whether and how TLS is served.
public struct TLSOptions: Sendable, Hashable {
    /// Whether TLS is served, and with what; `nil` leaves it to the verb.
    public var setting: TLSSetting?
    /// A second port, only for TLS; 0 takes a free one.
    public var port: Int?
    /// Whether clear text is refused on every port.
    public var isRequired = false
    /// More names and addresses that `tls` `auto` makes its certificate for.
    public var hosts: [String] = []

    /// The default.
    public init() {}

    /// The setting, or the default of the verb.
    func setting(for mode: Service.Mode) -> TLSSetting { setting ?? (mode == .dev ? .auto : .off) }

    /// Refuses what needs TLS without TLS.
    func check(_ setting: TLSSetting, _ listeners: [Listener]) throws(ServerError) {
        guard setting == .off,
            let needed = isRequired
                ? Setting.tlsOnly
                : port.map({ _ in .tlsPort }) ?? (listeners.contains(where: \.needsTLS) ? .listen : nil)
        else { return }
        throw ServerError(
            .usage,
            "\(needed.flag)\(needed == .listen ? " with tls or redirect" : "") needs certificates: give "
                + "\(Setting.tls.flag) auto or \(Setting.tls.flag) CERT,KEY.")
    }

    /// What clients may speak at a listener of this protocol: only TLS where clear text is refused.
    func spoken(_ listenerProtocol: ListenerProtocol) -> ListenerProtocol {
        isRequired && listenerProtocol == .any ? .tls : listenerProtocol
    }

    mutating func read(_ file: ConfigurationSection) {
        if let texts = file.strings("tls") {
            setting = TLSSetting(texts)
            if setting == nil { file.report("tls", "'tls' is \(TLSSetting.rule).") }
        }
        port = file.integer("tlsPort", in: 0...65535)
        isRequired = file.bool("tlsOnly") ?? isRequired
        hosts = file.hostNames("tlsHosts") ?? hosts
        for name in hosts {
            guard let domain = Self.topLevelDomain(name) else { continue }
            file.report(
                "tlsHosts",
                "'tlsHosts' has \"\(name)\", and the local certificate authority would be valid for each name below "
                    + "\"\(domain)\".",
                hint: "Name the host in full, as api.example.com. In a network of your own use \(domain).internal.")
        }
    }

    /// The name that is all of a host name, or all but its wildcard, and may be a top-level domain of the Internet; nil for any other
    /// one. The machine's own name has one label, too, and so have domains that the Internet never has (RFC 6761, RFC 6762 §3, and
    /// ICANN's `internal`).
    private static func topLevelDomain(_ host: String) -> String? {
        let name = (host.hasPrefix("*.") ? String(host.dropFirst(2)) : host).lowercased()
        let isOwn = name == CertificateNames.machine.lowercased() || reservedDomains.contains(name)
        return name.contains(".") || name.contains(":") || isOwn || !CertificateNames.isName(host) ? nil : name
    }

    private static let reservedDomains: Set = ["localhost", "local", "test", "example", "invalid", "internal"]

    mutating func read(_ settings: SettingReader) {
        port = settings.port(.tlsPort) ?? port
        setting = settings.value(ofAll: .tls, TLSSetting.rule) { TLSSetting($0) } ?? setting
        isRequired = settings.bool(.tlsOnly) ?? isRequired
    }
}
