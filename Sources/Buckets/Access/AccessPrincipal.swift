/// The callers to which a rule applies.
public enum AccessPrincipal: Sendable, Hashable {
    /// Every caller, including those of unsigned requests.
    case everyone
    /// Guests.
    case guest
    /// Identities with the authenticated role.
    case authenticated
    /// Identities with the role of this group.
    case group(String)
    /// Identities with the authenticated role whose id is in the key at each placeholder of the path.
    case owner
}
