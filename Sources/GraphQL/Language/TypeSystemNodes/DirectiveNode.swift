/// A directive applied to a definition.
public struct DirectiveNode: Sendable, Hashable {
    /// Its name without `@`.
    public var name: String
    /// Its arguments in the order they are written.
    public var arguments: [ConstArgument]
    /// Where its `@` stands.
    public var place: Place?

    /// A directive by its parts.
    public init(_ name: String, arguments: [ConstArgument] = [], place: Place? = nil) {
        self.name = name
        self.arguments = arguments
        self.place = place
    }

    /// The value of an argument; nil when it is not written.
    public subscript(argument: String) -> ConstValue? {
        arguments.first { $0.name == argument }?.value
    }
}
