/// A pair of keys that signs requests (reference: auth, "Signatures").
public struct AccessKey: Sendable, Hashable {
    /// The key's id, such as `AKIA…`.
    public var id: String
    /// The secret.
    public var secret: String
    /// The ARN or name of the role that its owner has.
    public var role: String
    /// The services it may be used with; nil for all.
    public var services: [String]?

    /// A pair of its parts.
    public init(id: String, secret: String, role: String = "admin", services: [String]? = nil) {
        (self.id, self.secret, self.role, self.services) = (id, secret, role, services)
    }
}
