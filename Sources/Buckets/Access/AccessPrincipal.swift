/// Whom a rule is about.
public enum AccessPrincipal: Sendable, Hashable {
    /// Every caller, also one whose request is not signed.
    case everyone
    /// Guests.
    case guest
    /// Who signed in and has the signed-in role.
    case authenticated
    /// Who has the role of this group.
    case group(String)
    /// Who signed in, has the signed-in role, and whose identity's id stands in the path in the place of `{identity}`.
    case owner
}
