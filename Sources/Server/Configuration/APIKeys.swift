import JSON
import Transformer

/// `apiKey`: the keys that callers may show in `x-api-key`.
public struct APIKeys: Sendable {
    /// The default API key, that of Amplify's mock: works when no key is configured, and on a loopback address only.
    public static let defaultKey = "da2-fakeApiId123456"

    /// The configured keys; empty when none was configured.
    public var configured: [String] = []
    /// Where `suppressApiKeyGeneration` stands, by which no API key is made, if it does.
    var suppressionPlace: Diagnostic.Place?

    /// The default.
    public init() {}

    /// Whether the default API key is off, because the data folder has keys and the server can be reached from other
    /// machines.
    private(set) var isDefaultOff = false

    /// The keys that are accepted, beside those that the data folder has.
    public var accepted: [String] { configured.isEmpty ? isDefaultOff ? [] : [Self.defaultKey] : configured }

    /// The same with the default API key off, where this is beyond loopback and the data folder has keys.
    func served(at address: ListenAddress, hasCreatedKeys: Bool) -> APIKeys {
        var keys = self
        keys.isDefaultOff = hasCreatedKeys && !address.isLoopback
        return keys
    }

    /// Whether the default API key is accepted, which everybody knows.
    public var acceptsDefault: Bool { accepted.contains(Self.defaultKey) }

    /// Refuses to listen beyond loopback with a key that everybody knows or that can be guessed. No key is repeated but
    /// the default one and the new one that is proposed.
    public func check(for address: ListenAddress) throws(ServerError) {
        guard !address.isLoopback else { return }
        let problem: String
        if configured.isEmpty, isDefaultOff { return }
        if configured.isEmpty {
            problem = "No API key is configured"
        } else if acceptsDefault {
            problem = "The API key is \(Self.defaultKey), which everybody knows"
        } else if configured.contains(where: { $0.count < APIKey.charactersMin }) {
            problem = "An API key has fewer than \(APIKey.charactersMin) characters"
        } else {
            return
        }
        throw ServerError(
            .usage,
            "\(problem), and \(address.host) can be reached from other machines. Here is a new key: "
                + "\(Setting.apiKey.flag) \(APIKey.generate()). Give it or another of at least "
                + "\(APIKey.charactersMin) characters with \(Setting.apiKey.flag), \(Setting.apiKey.variable) or apiKey "
                + "in the configuration, or listen on 127.0.0.1."
        )
    }

    mutating func read(_ file: ConfigurationSection) {
        guard let value = file.value("apiKey") else { return }
        let texts = (value.arrayValue ?? [value]).compactMap(\.stringValue)
        let isSound = !texts.isEmpty && texts.count == value.arrayValue?.count ?? 1 && texts.allSatisfy(APIKey.isSound)
        guard isSound else { return file.report("apiKey", "'apiKey' is \(APIKey.rule), or a list of such keys.") }
        configured = texts
    }

    mutating func read(_ settings: SettingReader) {
        guard let given = settings.texts.given(.apiKey), let key = given.texts.last else { return }
        configured = [key]
        if !APIKey.isSound(key) { settings.report("\(given.origin) is \(APIKey.rule).") }
    }

    /// Reports an API that makes no key and is given none: no caller could use it.
    func checkSuppression(_ findings: Findings) {
        guard let suppressionPlace, configured.isEmpty else { return }
        findings.diagnostics.append(
            Diagnostic(
                kind: "ConfigurationError",
                message: "With suppressApiKeyGeneration no API key is made, and none is configured.",
                place: suppressionPlace,
                hint: "The API key is the only mode that is served: give one with \(Setting.apiKey.flag), "
                    + "\(Setting.apiKey.variable) or apiKey in the configuration."))
    }
}
