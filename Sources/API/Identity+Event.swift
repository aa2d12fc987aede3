import JSON

extension Identity {
    /// The identity as a resolver sees it: null for an API key, which identifies no user. AWS AppSync, "Resolver
    /// context reference", "Identity".
    var eventValue: JSONValue {
        var object = JSONObject()
        switch mode {
        case .apiKey: return .null
        case .userPools, .oidc:
            object["sub"] = subject.map(JSONValue.string) ?? .null
            object["username"] = username.map(JSONValue.string) ?? .null
            object["claims"] = .object(claims)
            if mode == .userPools { object["groups"] = groups.isEmpty ? .null : .array(groups.map(JSONValue.string)) }
        case .iam:
            object = claims
            object["userArn"] = subject.map(JSONValue.string) ?? .null
        case .lambda: object["resolverContext"] = .object(claims)
        }
        return .object(object)
    }
}
