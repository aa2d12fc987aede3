import JSON
import Transformer

extension Identity {
    /// The identity as a function receives it: null for an API key, which identifies no user. AWS AppSync, "Resolver
    /// context reference", "Identity".
    ///
    /// - Parameters:
    ///   - sourceAddresses: Where the request came from.
    ///   - defaultAuthStrategy: What users of the default mode's user pool may reach without a directive: `ALLOW` or `DENY`; nil
    ///     where user pools are not the default mode.
    func eventValue(sourceAddresses: [String], defaultAuthStrategy: String?) -> JSONValue {
        let sourceIP = JSONValue.array(sourceAddresses.map(JSONValue.string))
        switch mode {
        case .apiKey: return .null
        case .userPools:
            let claims = tokenClaims ?? JSONObject()
            return [
                "sub": text(subject), "issuer": claims["iss"] ?? .null, "username": text(username),
                "claims": .object(claims), "sourceIp": sourceIP, "defaultAuthStrategy": text(defaultAuthStrategy),
                "groups": groups.isEmpty ? .null : .array(groups.map(JSONValue.string)),
            ]
        case .oidc:
            let claims = tokenClaims ?? JSONObject()
            return ["sub": text(subject), "issuer": claims["iss"] ?? .null, "claims": .object(claims)]
        case .iam:
            var object = JSONObject()
            for name in ["accountId", "cognitoIdentityPoolId", "cognitoIdentityId"] {
                object[name] = claims[name] ?? .null
            }
            object["sourceIp"] = sourceIP
            object["username"] = claims["username"] ?? .null
            object["userArn"] = text(subject)
            for name in ["cognitoIdentityAuthType", "cognitoIdentityAuthProvider"] {
                object[name] = claims[name] ?? .null
            }
            return .object(object)
        case .lambda: return ["resolverContext": .object(claims)]
        }
    }

    private func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
