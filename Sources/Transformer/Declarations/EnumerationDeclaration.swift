/// An enum as its author declared it.
public struct EnumerationDeclaration: Sendable, Hashable {
    /// The enum's name.
    public var name: String
    /// The names of its values in their declared order.
    public var values: [String]

    /// An enum by its parts.
    public init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}
