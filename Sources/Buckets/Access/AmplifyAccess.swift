/// The access levels of a bucket that the Amplify CLI makes: `guestAccess`, `authAccess` and `groupAccess` of its
/// `cli-inputs.json` (Amplify Docs, "Storage", "File access levels").
public struct AmplifyAccess: Sendable, Hashable {
    /// A permission of the CLI.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// Store objects.
        case createAndUpdate = "CREATE_AND_UPDATE"
        /// Get and list.
        case read = "READ"
        /// Remove objects.
        case delete = "DELETE"

        var actions: Set<AccessAction> {
            switch self {
            case .createAndUpdate: [.write]
            case .read: [.get, .list]
            case .delete: [.delete]
            }
        }
    }

    /// What guests may do.
    public var guest: Set<Permission>
    /// What those who signed in may do.
    public var authenticated: Set<Permission>
    /// What the members of groups may do, by the group's name.
    public var groups: [String: Set<Permission>]

    /// Access of its parts. Without any, what the CLI proposes: all for those who signed in, nothing for guests.
    public init(
        guest: Set<Permission> = [], authenticated: Set<Permission> = Set(Permission.allCases),
        groups: [String: Set<Permission>] = [:]
    ) {
        (self.guest, self.authenticated, self.groups) = (guest, authenticated, groups)
    }

    /// The rules that these levels stand for. Each path has all that the policies of the CLI's template allow in it, because
    /// the most specific path decides.
    ///
    /// Those who signed in may do with `public/`, `protected/` and `private/` of their own what they are permitted; to read
    /// includes `protected/` of everybody, and to store includes `uploads/`. Guests may do with `public/` what they are
    /// permitted; to read includes `protected/`, and to store includes `uploads/`. Groups have the whole bucket.
    public var rules: [AccessRule] {
        let guest = Self.actions(guest)
        let authenticated = Self.actions(authenticated)
        let reading: Set<AccessAction> = [.get, .list]
        let (guestReading, authenticatedReading) = (guest.intersection(reading), authenticated.intersection(reading))
        let ofGroups = groups.sorted { $0.key < $1.key }.map { (AccessPrincipal.group($0.key), Self.actions($0.value)) }
        let byPath: [(String, [(AccessPrincipal, Set<AccessAction>)])] = [
            ("", []),
            ("public/", [(.authenticated, authenticated), (.guest, guest)]),
            ("protected/", [(.authenticated, authenticatedReading), (.guest, guestReading)]),
            (
                "protected/{identity}/",
                [(.owner, authenticated), (.authenticated, authenticatedReading), (.guest, guestReading)]
            ),
            ("private/{identity}/", [(.owner, authenticated)]),
            (
                "uploads/",
                [(.authenticated, authenticated.intersection([.write])), (.guest, guest.intersection([.write]))]
            ),
        ]
        return byPath.flatMap { path, grants -> [AccessRule] in
            guard let path = AccessPath(path) else { preconditionFailure("the paths of the template can be read") }
            return (grants + ofGroups).filter { !$0.1.isEmpty }.map { AccessRule(path, $0.0, $0.1) }
        }
    }

    private static func actions(_ permissions: Set<Permission>) -> Set<AccessAction> {
        permissions.reduce(into: []) { $0.formUnion($1.actions) }
    }
}
