import Amplify
import JSON
import Transformer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `apiKey`: the keys that callers may show in `x-api-key`.
public struct APIKeys: Sendable {
    /// The default API key, that of Amplify's mock: works when no key is configured, and on a loopback address only.
    public static let defaultKey = AmplifyProject.keyOfMock

    /// How operators name a key without a name: the default API key, or a configured one.
    static let unnamed = "default"

    /// The configured keys; empty when none was configured.
    public var configured: [String] = []
    /// What is said of configured keys beside their text, by the text.
    private(set) var details: [String: Details] = [:]

    /// A configured key's name and end.
    struct Details: Sendable, Hashable {
        var name: String?
        /// From when on it is refused, in milliseconds since 1970; nil for a key that does not expire.
        var expiresMilliseconds: Int64?
    }

    /// Where `suppressApiKeyGeneration` stands, by which no API key is made, if it does.
    var suppressionPlace: Diagnostic.Place?

    /// The default.
    public init() {}

    /// Whether the default API key is accepted beside the configured ones: in `dev`, where an Amplify project gives them.
    var addsDefault = false
    /// Whether no key is made where none is configured, as an Amplify project may ask.
    var isClosed = false
    /// Whether the default API key is off: the server can be reached from other machines, and the data folder has keys or
    /// API keys are no mode of the API.
    private(set) var isDefaultOff = false
    /// Whether `API_KEY` is a mode of the API. Without it no key is accepted.
    private(set) var isMode = true

    /// The keys that are accepted, beside those that the data folder has.
    public var accepted: [String] {
        guard isMode else { return [] }
        guard configured.isEmpty else { return addsDefault ? configured + [Self.defaultKey] : configured }
        return isDefaultOff || isClosed ? [] : [Self.defaultKey]
    }

    /// The keys as an API with or without the mode accepts them at an address: the default API key is off where this is beyond
    /// loopback and the data folder has keys.
    func served(at address: ListenAddress, isMode: Bool, hasCreatedKeys: Bool) -> APIKeys {
        var keys = self
        keys.isMode = isMode
        keys.isDefaultOff = hasCreatedKeys && !address.isLoopback
        return keys
    }

    /// Whether the default API key is accepted, which everybody knows.
    public var acceptsDefault: Bool { accepted.contains(Self.defaultKey) }

    /// Refuses to listen beyond loopback with a key that everybody knows or that can be guessed; not where API keys are no
    /// mode of the API. No key is repeated but
    /// the default one and the new one that is proposed.
    public func check(for address: ListenAddress) throws(ServerError) {
        guard isMode, let exposedHost = address.exposedHost else { return }
        let problem: String
        if configured.isEmpty, isDefaultOff || isClosed { return }
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
            "\(problem), and \(exposedHost) can be reached from other machines. Here is a new key: "
                + "\(Setting.apiKey.flag) \(APIKey.generate()). Give it or another of at least "
                + "\(APIKey.charactersMin) characters with \(Setting.apiKey.flag), \(Setting.apiKey.variable) or apiKey "
                + "in the configuration, or listen on 127.0.0.1."
        )
    }

    mutating func read(_ file: ConfigurationSection) {
        guard let value = file.value("apiKey") else { return }
        let values = value.arrayValue ?? [value]
        for (index, value) in values.enumerated() {
            let path = file.object["apiKey"]?.arrayValue == nil ? ["apiKey"] : ["apiKey", String(index)]
            if let object = value.objectValue, object["key"] != nil {
                readKey(ConfigurationSection(object, at: file.path + path, of: file.file, findings: file.findings))
            } else if let text = value.stringValue, APIKey.isSound(text) {
                configured.append(text)
            }
        }
        let areSound = values.allSatisfy { $0["key"] != nil || $0.stringValue.map(APIKey.isSound) == true }
        guard !values.isEmpty, areSound else {
            return file.report(
                "apiKey", "'apiKey' is \(APIKey.rule), an object with such a 'key', or a list of them.")
        }
    }

    /// Reads a key with a name or an end.
    private mutating func readKey(_ section: ConfigurationSection) {
        defer { section.finish() }
        var details = Details(name: section.string("name"))
        if let text = section.string("expires") {
            details.expiresMilliseconds = Self.milliseconds(text)
            if details.expiresMilliseconds == nil {
                section.report(
                    "expires", "'\(section.name("expires"))' is a date or a moment, and not \"\(text)\".",
                    hint: "Write it as 2027-01-31 or 2027-01-31T12:00:00Z.")
            } else if let end = details.expiresMilliseconds, end <= Moment.now.milliseconds {
                section.warn("expires", "The API key has expired: it is refused.")
            }
        }
        guard let given = section.value("key") else {
            return section.report("key", "'\(section.name("key"))' is \(APIKey.rule).")
        }
        guard let key = UserPoolOptions.secret(given) else {
            return section.report("key", UserPoolOptions.problem(ofSecret: given))
        }
        guard APIKey.isSound(key) else { return section.report("key", "'\(section.name("key"))' is \(APIKey.rule).") }
        if let name = details.name, self.details.values.contains(where: { $0.name == name }) {
            section.report("name", "Two API keys have the name \(name).", hint: "Give each its own 'name'.")
        }
        configured.append(key)
        self.details[key] = details
    }

    /// A moment in RFC 3339, or the begin of a day in UTC; nil of any other text.
    private static func milliseconds(_ text: String) -> Int64? {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle().year().month().day()]
        let date = styles.lazy.compactMap { try? $0.parse(text) }.first
        // A date counts seconds as a floating-point number, which may lie just below the millisecond that was written.
        return date.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) }
    }

    /// The configured keys that have a name, as the operators' API has them: without anything of the keys.
    func summaries(now: Int64) -> [JSONValue] {
        configured.compactMap { key in
            guard let details = details[key], let name = details.name else { return nil }
            let end = details.expiresMilliseconds
            return [
                "name": .string(name), "created": .null,
                "expires": end.map { .string(Moment(milliseconds: $0).text) } ?? .null,
                "expired": .bool(end.map { $0 <= now } ?? false), "source": "configuration",
            ]
        }
    }

    mutating func read(_ settings: SettingReader) {
        guard let given = settings.texts.given(.apiKey), let key = given.texts.last else { return }
        (configured, details) = ([key], [:])
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
                hint: "API_KEY is a mode of the API: give a key with \(Setting.apiKey.flag), "
                    + "\(Setting.apiKey.variable) or apiKey in the configuration, or leave the mode out of authConfig.")
        )
    }
}
