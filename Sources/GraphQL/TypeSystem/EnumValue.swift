/// One value of an enum. Spec §3.9.
public struct EnumValue: Sendable {
    /// As the schema spells it.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// The reason of `@deprecated`.
    public let deprecationReason: String?
}
