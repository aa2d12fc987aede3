/// GetItem by arguments.
public struct GetItem: Sendable, Hashable {
    /// The index of the model in `APIDefinition.models`.
    public var model: Int
    /// The arguments in the order of the primary key; each is named as its key field.
    public var arguments: [String]

    /// The item of a model that these arguments name.
    public init(model: Int, arguments: [String]) {
        self.model = model
        self.arguments = arguments
    }
}
