/// A rule of a bucket: who may do what with the objects of a path.
public struct AccessRule: Sendable, Hashable {
    /// The path.
    public var path: AccessPath
    /// Whom it is about.
    public var principal: AccessPrincipal
    /// What they may do.
    public var actions: Set<AccessAction>

    /// A rule of its parts.
    public init(_ path: AccessPath, _ principal: AccessPrincipal, _ actions: Set<AccessAction>) {
        (self.path, self.principal, self.actions) = (path, principal, actions)
    }
}
