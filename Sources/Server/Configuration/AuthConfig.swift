import JSON
import Transformer

/// `authConfig`: AppSync's authorization modes, in Amplify's words: the API key and the user pool. Any other is reported, so
/// that access is never granted by a weaker rule than the one that was asked for.
enum AuthConfig {
    /// Reads the modes, the default mode first; nil where none are configured.
    static func read(_ section: ConfigurationSection) -> [TransformOptions.AuthMode]? {
        var modes: [TransformOptions.AuthMode] = []
        if section.object.isEmpty { return nil }
        let first = readMode(section.section("defaultAuthentication"))
        modes.append(first ?? .apiKey)
        if let providers = section.value("additionalAuthenticationProviders") {
            guard let list = providers.arrayValue else {
                section.report(
                    "additionalAuthenticationProviders",
                    "'authConfig.additionalAuthenticationProviders' is a list, [ … ], and not \(providers).")
                return modes
            }
            for (index, provider) in list.enumerated() {
                let path = section.path + ["additionalAuthenticationProviders", String(index)]
                let mode = readMode(
                    ConfigurationSection(
                        provider.objectValue ?? [:], at: path, of: section.file, findings: section.findings))
                if let mode, !modes.contains(mode) { modes.append(mode) }
            }
        }
        section.finish()
        return modes
    }

    private static func readMode(_ section: ConfigurationSection) -> TransformOptions.AuthMode? {
        defer {
            // Amplify's own configuration of each mode stands beside its type; it is about AWS's services.
            for key in section.object.keys where key != "authenticationType" { _ = section.value(key) }
        }
        guard let mode = section.value("authenticationType") else { return nil }
        switch mode {
        case "API_KEY": return .apiKey
        case "AMAZON_COGNITO_USER_POOLS": return .userPools
        default:
            section.reportNotServed(
                "authenticationType", "The authorization mode \(mode)",
                hint:
                    "This version serves \"API_KEY\" and \"AMAZON_COGNITO_USER_POOLS\"; it will not let people in by a "
                    + "weaker rule.")
            return nil
        }
    }
}
