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
    }

    mutating func read(_ settings: SettingReader) {
        port = settings.port(.tlsPort) ?? port
        setting = settings.value(ofAll: .tls, TLSSetting.rule) { TLSSetting($0) } ?? setting
        isRequired = settings.bool(.tlsOnly) ?? isRequired
    }
}
