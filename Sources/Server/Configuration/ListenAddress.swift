import HTTP
import JSON

/// `host`, `port`, `listeners` and `hosts`: the addresses to listen on, and the names of this server.
public struct ListenAddress: Sendable, Hashable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = 20002
    /// Further addresses to listen on, `Listener.countMax` at most.
    public var listeners: [Listener] = []
    /// More names of this server, which requests may have in `Host`.
    public var names: [String] = []

    /// The default.
    public init() {}

    /// Whether only this machine can reach the addresses.
    public var isLoopback: Bool { exposedHost == nil }

    /// The first address that other machines can reach; nil if there is none.
    var exposedHost: String? { ([host] + listeners.map(\.host)).first { !HostPort.isLoopback($0) } }

    /// Where GraphQL is served, as this machine can reach it: an address that means "all" is spelt as the loopback's.
    func url(_ scheme: String, port: Int) -> String { "\(baseURL(scheme, port: port))/graphql" }

    /// What the addresses of this server begin with, as this machine can reach it.
    func baseURL(_ scheme: String, port: Int) -> String { Self.baseURL(scheme, host: host, port: port) }

    /// The same for an address of another listener.
    static func baseURL(_ scheme: String, host: String, port: Int) -> String {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::", "[::]": "[::1]"
            default: host
            }
        return "\(scheme)://\(HostPort.text(name, port))"
    }

    mutating func read(_ file: ConfigurationSection) {
        host = file.string("host") ?? host
        port = file.integer("port", in: 0...65535) ?? port
        names = file.hostNames("hosts") ?? names
        readListeners(file)
    }

    private mutating func readListeners(_ file: ConfigurationSection) {
        guard let value = file.value("listeners") else { return }
        guard let elements = value.arrayValue else {
            return file.report("listeners", "'listeners' is a list of objects, [{\"port\": 443}], and not \(value).")
        }
        if elements.count > Listener.countMax {
            file.report("listeners", "There are at most \(Listener.countMax) listeners, and not \(elements.count).")
        }
        listeners = elements.prefix(Listener.countMax).enumerated().compactMap { index, element in
            let path = ["listeners", String(index)]
            guard let object = element.objectValue else {
                file.reportPath(path, "A listener is an object, { … }, and not \(element).")
                return nil
            }
            return Listener(
                ConfigurationSection(object, at: file.path + path, of: file.file, findings: file.findings),
                otherHost: host)
        }
    }

    mutating func read(_ settings: SettingReader) {
        host = settings.text(.host) ?? host
        port = settings.port(.port) ?? port
        listeners =
            settings.value(ofAll: .listen, "\(Listener.rule) (at most \(Listener.countMax))") { texts in
                let listeners = texts.compactMap { Listener($0) }
                return listeners.count == texts.count && texts.count <= Listener.countMax ? listeners : nil
            } ?? listeners
        for index in listeners.indices where !listeners[index].hasOwnHost { listeners[index].host = host }
        names =
            settings.value(ofAll: .hosts, "one or several host names or addresses") { texts in
                texts.allSatisfy(CertificateNames.isName) ? texts : nil
            } ?? names
    }
}
