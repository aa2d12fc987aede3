/// Reads the `paths` of a bucket in `amplify_outputs.json` (Amplify Docs, "Customize authorization rules" of Storage).
public enum PathAccess {
    /// An invalid path or grant.
    public struct Problem: Error, Sendable, Hashable {
        /// The path, as it is written.
        public var path: String
        /// The problem, as a sentence.
        public var message: String
        /// What to write instead.
        public var hint =
            "Write it as \"photos/*\": {\"guest\": [\"get\", \"list\"], \"authenticated\": [\"read\", \"write\"]}."
    }

    /// The rules of one path.
    ///
    /// - Parameters:
    ///   - path: Such as `photos/*` or `private/${cognito-identity.amazonaws.com:sub}/*`.
    ///   - grants: By `guest`, `authenticated`, `entityidentity` or `groups` and the name of a group: `get`, `list`,
    ///     `read`, which is both, `write` and `delete`. `entityidentity` is the caller whose identity is at the
    ///     placeholder of the path.
    public static func rules(path: String, grants: [(who: String, actions: [String])]) throws(Problem) -> [AccessRule] {
        guard path.hasSuffix("/*") || path == "*", let accessPath = AccessPath(path) else {
            throw Problem(
                path: path,
                message:
                    "A path ends with \"/*\" and does not begin with \"/\"; a \"*\" or a placeholder is a whole segment."
            )
        }
        try checkIdentity(path, accessPath, isGranted: grants.contains { $0.who == ownerName })
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

    /// The name of a caller whose identity is at the placeholder.
    private static let ownerName = "entityidentity"

    /// Refuses `entityidentity` where nobody can have it, and a placeholder that is compared with nobody's identity.
    private static func checkIdentity(
        _ path: String, _ accessPath: AccessPath, isGranted: Bool
    ) throws(Problem) {
        guard isGranted != accessPath.hasIdentity else { return }
        let placeholder = AccessPath.placeholders[0]
        throw isGranted
            ? Problem(
                path: path,
                message: "\"\(ownerName)\" matches nobody: the path has no placeholder of the identity.",
                hint: "Write the place of the identity into the path, such as \"private/\(placeholder)/*\".")
            : Problem(
                path: path,
                message: "The path has a placeholder of the identity, but grants nothing to \"\(ownerName)\".",
                hint: "Write \"*\" instead of the placeholder to mean any segment, or grant \"\(ownerName)\" something."
            )
    }

    private static func principal(_ who: String, _ path: String) throws(Problem) -> AccessPrincipal {
        switch who {
        case "guest": return .guest
        case "authenticated": return .authenticated
        case ownerName: return .owner
        default:
            guard who.hasBytePrefix("groups"), who.utf8.count > 6 else {
                throw Problem(path: path, message: "Unknown grantee \"\(who)\".")
            }
            return .group(String(Substring(who.utf8.dropFirst(6))))
        }
    }
}
