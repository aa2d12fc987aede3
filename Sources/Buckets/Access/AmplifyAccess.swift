public import JSON

/// The access levels of a bucket that the Amplify CLI creates: `guestAccess`, `authAccess` and `groupAccess` of its
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

    /// Permissions of guests.
    public var guest: Set<Permission>
    /// Permissions of authenticated identities.
    public var authenticated: Set<Permission>
    /// Permissions of groups, by name.
    public var groups: [ExactText: Set<Permission>]

    /// Creates access levels. The defaults are those of the CLI: everything for authenticated identities, nothing for
    /// guests.
    public init(
        guest: Set<Permission> = [], authenticated: Set<Permission> = Set(Permission.allCases),
        groups: [ExactText: Set<Permission>] = [:]
    ) {
        (self.guest, self.authenticated, self.groups) = (guest, authenticated, groups)
    }

    /// The equivalent rules. Each path lists everything that the IAM policies of the CLI allow there, because the most
    /// specific path decides.
    ///
    /// The permissions of authenticated identities apply to `public/` and to their own `protected/` and `private/`;
    /// READ includes everyone's `protected/`, and CREATE_AND_UPDATE includes writing to `uploads/`. Those of guests
    /// apply to `public/`; READ includes `protected/`, and CREATE_AND_UPDATE includes writing to `uploads/`. Those of
    /// groups apply to the whole bucket.
    public var rules: [AccessRule] {
        let guest = Self.actions(guest)
        let authenticated = Self.actions(authenticated)
        let reading: Set<AccessAction> = [.get, .list]
        let (guestReading, authenticatedReading) = (guest.intersection(reading), authenticated.intersection(reading))
        let ofGroups = groups.sorted { $0.key < $1.key }
            .map { (AccessPrincipal.group($0.key.text), Self.actions($0.value)) }
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
