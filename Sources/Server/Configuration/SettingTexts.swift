/// What the flags and the environment say, as text; what it means is decided in one place, by `Configuration`.
public struct SettingTexts: Sendable {
    /// What a configuration is read for. It decides what is an error and what a warning, and where an Amplify project is
    /// looked for.
    public enum Purpose: Sendable, Hashable {
        /// For the author of a project, as `syncline dev` reads it: what is not served is a warning.
        case develop
        /// For callers, as `syncline serve` reads it: what is not served and would be missed is an error.
        case serve
        /// For files that replace a project.
        case importing
    }

    private var flags: [Setting: [String]]
    private let environment: [String: String]
    /// What the configuration is read for.
    var purpose: Purpose
    /// The environment of the Amplify project that a running server began with.
    public var pinnedEnvironment: String?
    /// Whether the schema is asked for, with what lies beside it.
    let concernsSchema: Bool

    /// The texts of the flags that were given, and the environment of the process.
    public init(
        for purpose: Purpose, flags: [Setting: [String]], environment: [String: String], concernsSchema: Bool = true
    ) {
        self.purpose = purpose
        self.flags = flags
        self.environment = environment
        self.concernsSchema = concernsSchema
    }

    /// Gives a setting as a flag does.
    mutating func set(_ setting: Setting, _ text: String) { flags[setting] = [text] }

    /// Whether a switch is on; only the words of `SettingReader` turn one on.
    func isSet(_ setting: Setting) -> Bool {
        given(setting)?.texts.last.map { SettingReader.switches[$0] == true } ?? false
    }

    /// The variables that set feature flags of an Amplify project, and the credentials of its identity providers.
    var amplifyVariables: [String: String] {
        environment.filter { variable in
            ["AMPLIFYCLI", "SYNCLINE_GOOGLE_", "SYNCLINE_APPLE_"].contains { variable.key.hasPrefix($0) }
        }
    }

    /// Whether a flag says something about a setting.
    func hasFlag(_ setting: Setting) -> Bool { flags[setting]?.isEmpty == false }

    /// The texts for a setting and the name of the place they come from; flags go before the environment. An empty
    /// variable counts as absent, as in a shell's `${NAME:-default}`; but not the API key's, because a user who sets that
    /// does not want the default API key.
    func given(_ setting: Setting) -> (texts: [String], origin: String)? {
        if let texts = flags[setting], hasFlag(setting) { return (texts, setting.flag) }
        guard let text = environment[setting.variable], !text.isEmpty || setting == .apiKey else { return nil }
        let texts =
            switch setting {
            // Several schemas in one variable are separated as in PATH; an address has colons of its own.
            case .schema: text.split(separator: ":").map(String.init)
            case .hosts: text.split(separator: ",").map(String.init)
            case .listen: text.split(separator: " ").map(String.init)
            default: [text]
            }
        return (texts, setting.variable)
    }
}
