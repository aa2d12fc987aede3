import JSON

/// A provider of OpenID Connect that people may sign in by at the hosted pages.
struct OIDCProvider: Sendable, Hashable {
    /// The name, which also stands in front of its users' names.
    var name: String
    var issuer: String
    var clientID: String
    var clientSecret: String?
    var scopes: [String]
    /// For each attribute of a user the claim that it is taken from.
    var attributeMapping: [String: String]
    /// Whether a user with the same verified address of mail is the same person.
    var linksByVerifiedEmail: Bool

    /// Reads a provider; nil, and a problem, for one that cannot be served.
    init?(_ reader: SettingsReader) {
        guard let name = reader.string("Name") ?? reader.string("ProviderName"), !name.isEmpty else {
            reader.report("Name", "An identity provider needs a 'name'.")
            return nil
        }
        let type = reader.string("Type") ?? reader.string("ProviderType") ?? "OIDC"
        guard type == "OIDC" || Self.issuers[type] != nil else {
            reader.report(
                "Type", "Identity providers of type \(type) are not served; those of OpenID Connect are: OIDC, Google.")
            return nil
        }
        guard let issuer = reader.string("Issuer") ?? reader.string("OidcIssuer") ?? Self.issuers[type],
            let clientID = reader.string("ClientId"), issuer.hasPrefix("https://") || issuer.hasPrefix("http://")
        else {
            reader.report("Issuer", "The identity provider \(name) needs 'issuer', a URL, and 'clientId'.")
            return nil
        }
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        clientSecret = reader.string("ClientSecret")
        scopes = reader.strings("Scopes") ?? ["openid", "email", "profile"]
        linksByVerifiedEmail = reader.bool("LinkByVerifiedEmail") ?? false
        var mapping: [String: String] = [:]
        for (attribute, claim) in reader.value("AttributeMapping")?.objectValue ?? [:] {
            mapping[attribute] = claim.stringValue
        }
        attributeMapping =
            mapping.isEmpty ? ["email": "email", "email_verified": "email_verified", "name": "name"] : mapping
        reader.finish()
    }

    private static let issuers = [
        "Google": "https://accounts.google.com", "SignInWithApple": "https://appleid.apple.com",
    ]
}
