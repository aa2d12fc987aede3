import JSON
import Transformer

extension ProjectReader {
    /// The providers of the hosted pages that OpenID Connect has, and the variables that have their credentials.
    private static let providers: [(name: String, type: String, variables: [(setting: String, name: String)])] = [
        (
            "Google", "Google",
            [("clientId", "SYNCLINE_GOOGLE_CLIENT_ID"), ("clientSecret", "SYNCLINE_GOOGLE_CLIENT_SECRET")]
        ),
        (
            "SignInWithApple", "SignInWithApple",
            [
                ("clientId", "SYNCLINE_APPLE_CLIENT_ID"), ("teamId", "SYNCLINE_APPLE_TEAM_ID"),
                ("keyId", "SYNCLINE_APPLE_KEY_ID"), ("privateKey", "SYNCLINE_APPLE_PRIVATE_KEY"),
            ]
        ),
    ]
    /// The settings that are left as the name of their variable.
    private static let secrets: Set = ["clientSecret", "privateKey"]

    /// Reads the providers of the hosted pages. No file of a project has their credentials: a provider is on where the
    /// variables of the process have them, or where the configuration has the providers.
    func readIdentityProviders(_ inputs: ProjectNode) {
        let details = inputs["hostedUIProviderMeta"].flatMap { json(in: $0) }?.arrayValue ?? []
        var list: [JSONValue] = []
        var place: Diagnostic.Place?
        for node in inputs["authProvidersUserPool"]?.elements ?? [] {
            guard let name = node.text else { continue }
            guard !isOverridden("userPool", "identityProviders") else {
                row(
                    "auth", name, .different, "userPool.identityProviders of the configuration is used.", at: node.place
                )
                continue
            }
            guard let known = Self.providers.first(where: { $0.name == name }) else {
                row(
                    "auth", name, .notServed, "It is no provider of OpenID Connect: its users cannot sign in.",
                    at: node.place)
                project.tasks.append("Offer the users of \(name) another way to sign in: it is not served.")
                continue
            }
            let missing = known.variables.map(\.name).filter { options.variables[$0]?.isEmpty != false }
            guard missing.isEmpty else {
                row(
                    "auth", name, .notServed,
                    "No file has its credentials: set \(missing.joined(separator: ", ")), or write "
                        + "userPool.identityProviders.", at: node.place)
                project.tasks.append(
                    "Register the hosted pages with \(name), and set \(missing.joined(separator: ", ")).")
                continue
            }
            list.append(.object(provider(known, details.first { $0["ProviderName"]?.stringValue == name })))
            place = place ?? node.place
            row("auth", name, .same, "Its users sign in at the hosted pages.", at: node.place)
        }
        if !list.isEmpty { set(["userPool", "identityProviders"], .array(list), at: place) }
    }

    private func provider(
        _ known: (name: String, type: String, variables: [(setting: String, name: String)]), _ details: JSONValue?
    ) -> JSONObject {
        var object: JSONObject = ["type": .string(known.type)]
        for (setting, name) in known.variables {
            object[setting] =
                Self.secrets.contains(setting)
                ? ["env": .string(name)] : .string(options.variables[name] ?? "")
        }
        if let scopes = details?["authorize_scopes"]?.stringValue {
            let names = scopes.split { $0 == " " || $0 == "," }.map(String.init)
            if !names.isEmpty { object["scopes"] = .array(names.map(JSONValue.string)) }
        }
        let mapping = (details?["AttributeMapping"]?.objectValue ?? [:]).filter { $0.key != "username" }
        if !mapping.isEmpty { object["attributeMapping"] = .object(JSONObject(mapping.map { ($0.key, $0.value) })) }
        return object
    }
}
