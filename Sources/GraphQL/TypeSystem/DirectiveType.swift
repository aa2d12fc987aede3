/// A directive that documents may use. Spec §3.13.
public struct DirectiveType: Sendable {
    /// Without the `@`.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// Its arguments, in the schema's order.
    public let arguments: [InputField]
    /// Whether it may stand twice at one place.
    public let isRepeatable: Bool
    /// The places where it may stand.
    public let locations: [DirectiveLocation]
}
