/// An access rule of a bucket: which callers may perform which actions on the objects of a path.
public struct AccessRule: Sendable, Hashable {
    /// The path.
    public var path: AccessPath
    /// The callers.
    public var principal: AccessPrincipal
    /// The allowed actions.
    public var actions: Set<AccessAction>

    /// A rule that allows the callers these actions and no others.
    public init(_ path: AccessPath, _ principal: AccessPrincipal, _ actions: Set<AccessAction>) {
        (self.path, self.principal, self.actions) = (path, principal, actions)
    }
}
