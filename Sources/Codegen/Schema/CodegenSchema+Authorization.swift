import JSON

extension CodegenSchema {
    /// Puts the rules of all models in the form that clients have: defaults filled in, and last of the directives.
    mutating func processAuthorization() {
        for index in models.indices {
            let directives = models[index].directives
            models[index].directives =
                directives.filter { $0.name != "auth" }
                + directives.filter { $0.name == "auth" }.map(Self.processed)
        }
    }

    private static func processed(_ directive: CodegenDirective) -> CodegenDirective {
        var directive = directive
        let rules = directive.arguments["rules"] ?? .array([])
        directive.arguments["rules"] = .array(
            (rules.arrayValue ?? [rules]).compactMap(\.objectValue)
                // Clients do not know rules for groups that an item names by this argument.
                .filter { !($0["allow"]?.stringValue == "groups" && $0["groupField"]?.stringValue != nil) }
                .map { .object(processed($0)) })
        return directive
    }

    /// The members keep the order of Amplify's generator, which introspection shows.
    private static func processed(_ rule: JSONObject) -> JSONObject {
        let operations = [rule["operations"], rule["mutations"]].lazy.compactMap(\.self).first { !$0.isNull }
        var processed: JSONObject
        switch rule["allow"]?.stringValue {
        case "owner":
            processed = ["provider": "userPools", "ownerField": rule["ownerField"] ?? "owner"]
            for (name, value) in rule { processed[name] = value }
            processed["identityClaim"] = .string(identityClaim(of: rule))
        case "groups":
            processed = ["groupClaim": "cognito:groups", "provider": "userPools"]
            for (name, value) in rule { processed[name] = value }
            // The generator reads `groupField`, which no schema has: `groupsField` is not seen.
            processed["groupField"] = (rule["groups"]?.isNull ?? true) ? "groups" : nil
        default: processed = rule
        }
        processed["operations"] = operations ?? ["create", "update", "delete", "read"]
        return processed
    }

    private static func identityClaim(of rule: JSONObject) -> String {
        let claim = rule["identityClaim"]?.stringValue ?? rule["identityField"]?.stringValue ?? "username"
        return ["username", "sub::username"].contains(claim) ? "cognito:username" : claim
    }
}
