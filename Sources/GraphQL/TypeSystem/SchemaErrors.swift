/// All faults of a schema document, in the order of the text.
public struct SchemaErrors: Error, Sendable, Hashable {
    /// At least one, at most `SchemaValidation.errorsMax`.
    public var errors: [SchemaError]
}
