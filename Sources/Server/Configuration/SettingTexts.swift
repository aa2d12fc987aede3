/// What the flags and the environment say, as text; what it means is decided in one place, by `Configuration`.
public struct SettingTexts: Sendable {
    private var flags: [Setting: [String]]
    private let environment: [String: String]
    /// Whether the schema is asked for, with what lies beside it.
    let concernsSchema: Bool

    /// The texts of the flags that were given, and the environment of the process.
    public init(flags: [Setting: [String]], environment: [String: String], concernsSchema: Bool = true) {
        self.flags = flags
        self.environment = environment
        self.concernsSchema = concernsSchema
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
            default: [text]
            }
        return (texts, setting.variable)
    }
}
