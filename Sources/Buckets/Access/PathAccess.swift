/// Reads the `paths` of a bucket in `amplify_outputs.json` (Amplify Docs, "Customize authorization rules" of Storage).
public enum PathAccess {
    /// An invalid path or grant.
    public struct Problem: Error, Sendable, Hashable {
        /// The path, as it is written.
        public var path: String
        /// The problem, as a sentence.
        public var message: String
    }

    /// The rules of one path.
    ///
    /// - Parameters:
    ///   - path: Such as `photos/*` or `private/${cognito-identity.amazonaws.com:sub}/*`.
    ///   - grants: By `guest`, `authenticated`, `entityidentity` or `groups` and the name of a group: `get`, `list`,
    ///     `read`, which is both, `write` and `delete`.
    public static func rules(path: String, grants: [(who: String, actions: [String])]) throws(Problem) -> [AccessRule] {
        guard path.hasSuffix("/*") || path == "*", let accessPath = AccessPath(path) else {
            throw Problem(path: path, message: "A path ends with \"/*\" and does not begin with \"/\".")
        }
        var rules: [AccessRule] = []
        for (who, names) in grants {
            var actions: Set<AccessAction> = []
            for name in names {
                if name == "read" {
                    actions.formUnion([.get, .list])
                } else if let action = AccessAction(rawValue: name) {
                    actions.insert(action)
                } else {
                    throw Problem(path: path, message: "There is no action \"\(name)\".")
                }
            }
            rules.append(AccessRule(accessPath, try principal(who, path), actions))
        }
        return rules
    }

    private static func principal(_ who: String, _ path: String) throws(Problem) -> AccessPrincipal {
        switch who {
        case "guest": return .guest
        case "authenticated": return .authenticated
        case "entityidentity": return .owner
        default:
            guard who.hasBytePrefix("groups"), who.utf8.count > 6 else {
                throw Problem(path: path, message: "\"\(who)\" is nobody who can be granted access.")
            }
            return .group(String(who.dropFirst(6)))
        }
    }
}
