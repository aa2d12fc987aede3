import JSON

/// Where a provider's endpoints are (OpenID Connect Discovery 1.0 §3).
struct ProviderMetadata: Sendable {
    var issuer: String
    var authorizationEndpoint: String
    var tokenEndpoint: String
    var userInfoEndpoint: String?
    var keysURL: String
    /// Whether the client's secret is a field of the form and not Basic authentication.
    var takesSecretInForm: Bool
    /// Whether each authorization response has the issuer (RFC 9207 §3).
    var sendsIssuer: Bool

    /// The metadata of a discovery document, in which configured endpoints take precedence; nil if one is missing or is no
    /// URL, or the document is another issuer's.
    init?(_ document: JSONObject, of provider: OIDCProvider) {
        let issuer = document["issuer"]?.stringValue ?? provider.issuer
        guard Self.isSame(issuer, provider.issuer),
            let authorize = provider.endpoints.authorize ?? document["authorization_endpoint"]?.stringValue,
            let token = provider.endpoints.token ?? document["token_endpoint"]?.stringValue,
            let keys = provider.endpoints.keys ?? document["jwks_uri"]?.stringValue
        else { return nil }
        userInfoEndpoint = provider.endpoints.userInfo ?? document["userinfo_endpoint"]?.stringValue
        for url in [authorize, token, keys, userInfoEndpoint ?? keys] where !Self.isURL(url) { return nil }
        (self.issuer, authorizationEndpoint, tokenEndpoint, keysURL) = (issuer, authorize, token, keys)
        let methods = document["token_endpoint_auth_methods_supported"]?.arrayValue?.compactMap(\.stringValue)
        takesSecretInForm = provider.type == .apple || methods.map { !$0.contains("client_secret_basic") } ?? false
        sendsIssuer = document["authorization_response_iss_parameter_supported"] == true
    }

    /// Checks the `iss` of an authorization response, so that a code of one provider is not sent to another
    /// (RFC 9207 §2.4; RFC 9700 §4.4).
    func check(responseIssuer: String?) throws(UserPools.ProviderFailure) {
        if let responseIssuer {
            guard Self.isSame(responseIssuer, issuer) else {
                throw UserPools.ProviderFailure(
                    reason: "the authorization response is another issuer's, not that of \(issuer)")
            }
        } else if sendsIssuer {
            throw UserPools.ProviderFailure(reason: "the authorization response lacks the iss that \(issuer) announces")
        }
    }

    /// Whether two issuers differ in a slash at the end at most.
    static func isSame(_ one: String, _ other: String) -> Bool {
        func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        return bare(one) == bare(other)
    }

    static func isURL(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 2_048
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }
}
