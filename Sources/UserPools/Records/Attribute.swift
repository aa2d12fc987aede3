/// An attribute of a user.
public struct Attribute: Sendable, Hashable {
    /// The name, `custom:…` for those of the pool's own.
    public var name: String
    /// The value, always text.
    public var value: String

    /// An attribute of its name and value.
    public init(name: String, value: String) { (self.name, self.value) = (name, value) }
}
