import JSON

/// `authConfig`: AppSync's authorization modes, in Amplify's words. The API key is the only one that is served; any other
/// is reported, so that access is never granted by a weaker rule than the one that was asked for.
enum AuthConfig {
    static func read(_ section: ConfigurationSection) {
        readMode(section.section("defaultAuthentication"))
        if let providers = section.value("additionalAuthenticationProviders") {
            guard let list = providers.arrayValue else {
                return section.report(
                    "additionalAuthenticationProviders",
                    "'authConfig.additionalAuthenticationProviders' is a list, [ … ], and not \(providers).")
            }
            for (index, provider) in list.enumerated() {
                let path = section.path + ["additionalAuthenticationProviders", String(index)]
                readMode(
                    ConfigurationSection(
                        provider.objectValue ?? [:], at: path, of: section.file, findings: section.findings))
            }
        }
        section.finish()
    }

    private static func readMode(_ section: ConfigurationSection) {
        if let mode = section.value("authenticationType"), mode != "API_KEY" {
            section.reportNotServed(
                "authenticationType", "The authorization mode \(mode)",
                hint: "This version serves \"API_KEY\" only; it will not let people in by a weaker rule.")
        }
        // Amplify's own configuration of each mode stands beside its type; only the API key's can be meant here.
        for key in section.object.keys where key != "authenticationType" { _ = section.value(key) }
    }
}
