import Crypto
import Encodings
import JSON

/// An OpenID Connect provider for sign-in at the hosted pages.
package struct OIDCProvider: Sendable, Hashable {
    /// The name, which also stands in front of its users' names.
    var name: String
    package var type: ProviderType
    var issuer: String
    var clientID: String
    var secret: Secret?
    var scopes: [String]
    /// Values of `idp_identifier` that select this provider.
    var identifiers: [String] = []
    /// Endpoints that are configured in place of those of the discovery document.
    var endpoints = Endpoints()
    /// Maps user attributes to claims.
    var attributeMapping: [String: String]
    /// Whether to link to the existing user with the same verified email address.
    var linksByVerifiedEmail = false

    package enum ProviderType: String, Sendable, CaseIterable {
        case oidc = "OIDC"
        case google = "Google"
        case apple = "SignInWithApple"

        /// The issuer of a type that has one.
        var issuer: String? {
            switch self {
            case .oidc: nil
            case .google: "https://accounts.google.com"
            case .apple: "https://appleid.apple.com"
            }
        }
    }

    /// How this server authenticates as a client of the provider.
    enum Secret: Sendable, Hashable {
        case text(String)
        /// Sign in with Apple: a JWT signed with this P-256 key, in PEM.
        case key(team: String, id: String, pem: String)
    }

    /// The endpoints of a provider.
    struct Endpoints: Sendable, Hashable {
        var authorize: String?
        var token: String?
        var userInfo: String?
        var keys: String?
    }

    /// Whether the answer to the authorization request comes as a form: Apple sends names and addresses in no other way.
    var answersByForm: Bool { type == .apple && scopes.contains { $0 != "openid" } }

    /// The name of the user with this subject.
    func username(_ subject: String) -> String { "\(name)_\(subject)" }
}

// MARK: - Reading

extension OIDCProvider {
    /// Reads a provider, whose details may stand in Cognito's `ProviderDetails`; nil, and a problem, for one that cannot be
    /// served.
    init?(_ reader: SettingsReader) {
        let type = reader.string("ProviderType") ?? reader.string("Type") ?? "OIDC"
        guard let type = ProviderType(rawValue: type) else {
            reader.report(
                "Type",
                "Identity providers of type \(type) are not served. Those of OpenID Connect are: "
                    + "\(ProviderType.allCases.map(\.rawValue).joined(separator: ", ")).")
            return nil
        }
        let details = reader.section("ProviderDetails")
        func text(_ word: String, _ detail: String) -> String? { reader.string(word) ?? details?.string(detail) }
        guard
            let name = reader.string("ProviderName") ?? reader.string("Name")
                ?? type.issuer.map({ _ in type.rawValue }),
            Self.isName(name)
        else {
            reader.report("Name", "An identity provider needs a 'name' of 1 to 32 letters, digits and '-'.")
            return nil
        }
        guard let issuer = text("Issuer", "oidc_issuer") ?? text("OidcIssuer", "oidc_issuer") ?? type.issuer,
            let clientID = text("ClientId", "client_id"), issuer.hasPrefix("https://") || issuer.hasPrefix("http://")
        else {
            reader.report("Issuer", "The identity provider \(name) needs 'issuer', a URL, and 'clientId'.")
            return nil
        }
        (self.name, self.type, self.clientID) = (name, type, clientID)
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let scopeText = details?.string("authorize_scopes")?.split(separator: " ").map(String.init)
        scopes =
            reader.strings("Scopes") ?? scopeText
            ?? (type == .apple ? ["name", "email"] : ["openid", "email", "profile"])
        identifiers = reader.strings("IdpIdentifiers") ?? []
        endpoints = Endpoints(
            authorize: text("AuthorizeUrl", "authorize_url"), token: text("TokenUrl", "token_url"),
            userInfo: text("AttributesUrl", "attributes_url"), keys: text("JwksUri", "jwks_uri"))
        linksByVerifiedEmail = reader.bool("LinkByVerifiedEmail") ?? false
        var mapping: [String: String] = [:]
        for (attribute, claim) in reader.value("AttributeMapping")?.objectValue ?? [:] where attribute != "username" {
            mapping[attribute] = claim.stringValue
        }
        attributeMapping =
            mapping.isEmpty ? ["email": "email", "email_verified": "email_verified", "name": "name"] : mapping
        secret = text("ClientSecret", "client_secret").map(Secret.text)
        if type == .apple, secret == nil {
            guard let team = text("TeamId", "team_id"), let id = text("KeyId", "key_id"),
                let key = text("PrivateKey", "private_key")
            else {
                reader.report("ClientSecret", "Sign in with Apple needs 'teamId', 'keyId' and 'privateKey'.")
                return nil
            }
            let pem = key.contains("-----") ? key : "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----"
            if (try? P256.Signing.PrivateKey(pemRepresentation: pem)) == nil {
                reader.report("PrivateKey", "'privateKey' is the .p8 file of Apple: a private key of P-256 in PEM.")
            }
            secret = .key(team: team, id: id, pem: pem)
        }
        _ = details?.string("attributes_request_method")
        details?.finish()
        reader.finish()
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                $0.isLowercaseLetter || $0.isUppercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
            } && !["COGNITO", "Cognito"].contains(name)
    }
}
