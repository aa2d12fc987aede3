/// A pair of keys that signs requests (reference: auth, "Signatures").
public struct AccessKey: Sendable, Hashable {
    /// The key's id, such as `AKIA…`.
    public var id: String
    /// The secret.
    public var secret: String
    /// What its owner may do.
    public var role: AccessRole
    /// The services it may be used with; nil for all.
    public var services: [String]?
    /// The ARN of the owner; nil for that of a user with the name of the key's id.
    public var ownerARN: String?
    /// The root fields of the API that it may call, as patterns such as `Query.*`; empty for all.
    public var resources: [String] = []

    /// A pair of its parts.
    public init(id: String, secret: String, role: AccessRole = .owner, services: [String]? = nil) {
        (self.id, self.secret, self.role, self.services) = (id, secret, role, services)
    }

    /// The name by which AWS would know the owner.
    public var userARN: String { ownerARN ?? Self.userARN(id) }

    static func userARN(_ id: String) -> String { "arn:aws:iam::000000000000:user/\(id)" }
}
