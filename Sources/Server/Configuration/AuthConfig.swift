import JSON
import Transformer

/// `authConfig`: AppSync's authorization modes, in Amplify's words: the API key and the user pool. Any other is reported, so
/// that access is never granted by a weaker rule than the one that was asked for.
struct AuthConfig {
    /// The modes, the default mode first.
    private(set) var modes: [TransformOptions.AuthMode] = []
    /// Whose tokens are accepted in the mode of user pools.
    private(set) var userPools: [UserPoolProvider] = []
    /// The ids of the user pools that an entry may name.
    private let poolIDs: [String]

    /// Reads the modes; nil where none are configured.
    ///
    /// - Parameter poolIDs: The ids of the user pools that are configured.
    static func read(_ section: ConfigurationSection, poolIDs: [String]) -> AuthConfig? {
        if section.object.isEmpty { return nil }
        var config = AuthConfig(poolIDs: poolIDs)
        config.modes.append(config.readMode(section.section("defaultAuthentication"), isDefault: true) ?? .apiKey)
        if let providers = section.value("additionalAuthenticationProviders") {
            guard let list = providers.arrayValue else {
                section.report(
                    "additionalAuthenticationProviders",
                    "'authConfig.additionalAuthenticationProviders' is a list, [ … ], and not \(providers).")
                return config
            }
            for (index, provider) in list.enumerated() {
                let path = section.path + ["additionalAuthenticationProviders", String(index)]
                let mode = config.readMode(
                    ConfigurationSection(
                        provider.objectValue ?? [:], at: path, of: section.file, findings: section.findings),
                    isDefault: false)
                if let mode, !config.modes.contains(mode) { config.modes.append(mode) }
            }
        }
        section.finish()
        return config
    }

    private init(poolIDs: [String]) { self.poolIDs = poolIDs }

    private mutating func readMode(
        _ section: ConfigurationSection, isDefault: Bool
    ) -> TransformOptions.AuthMode? {
        defer {
            // Amplify's own configuration of each mode stands beside its type; it is about AWS's services.
            for key in section.object.keys where key != "authenticationType" { _ = section.value(key) }
        }
        guard let mode = section.value("authenticationType") else { return nil }
        switch mode {
        case "API_KEY": return .apiKey
        case "AMAZON_COGNITO_USER_POOLS":
            readUserPool(section.section("userPoolConfig"), isDefault: isDefault)
            return .userPools
        default:
            section.reportNotServed(
                "authenticationType", "The authorization mode \(mode)",
                hint:
                    "This version serves \"API_KEY\" and \"AMAZON_COGNITO_USER_POOLS\"; it will not let people in by a "
                    + "weaker rule.")
            return nil
        }
    }

    /// Reads AppSync's `UserPoolConfig`, or `CognitoUserPoolConfig` of an additional provider.
    private mutating func readUserPool(_ section: ConfigurationSection, isDefault: Bool) {
        var provider = UserPoolProvider()
        provider.poolID = section.string("userPoolId")
        if let id = provider.poolID, !poolIDs.contains(id) {
            section.report(
                "userPoolId", "'\(section.name("userPoolId"))' is \(id), and no user pool with this id is configured.",
                hint: poolIDs.isEmpty
                    ? "Add the pool to 'userPool' in the configuration."
                    : "Name one of these: \(poolIDs.joined(separator: ", ")); or give the pool in 'userPool' this 'id'."
            )
        }
        provider.clientIDPattern = section.string("appIdClientRegex")
        if let pattern = provider.clientIDPattern, (try? Regex(pattern)) == nil {
            section.report(
                "appIdClientRegex",
                "'\(section.name("appIdClientRegex"))' is a regular expression, and \"\(pattern)\" is none.")
        }
        _ = section.value("awsRegion")
        if isDefault, let action = section.value("defaultAction"), action != "ALLOW" {
            section.reportNotServed(
                "defaultAction", "The default action \(action)",
                hint: "This version serves \"ALLOW\": fields without a rule are open to all users of the pool.")
        }
        section.finish()
        userPools.append(provider)
    }
}
