/// The arguments of a field as its document writes them: constants are coerced already, variables are awaited.
public struct ArgumentTemplate: Sendable {
    let fields: [ValueTemplate.Field]
    let constant: ArgumentValues?
    private let source: Source

    /// - Parameters:
    ///   - definitions: The arguments of the field's definition.
    ///   - arguments: What the document gives for them, valid by `Validate`.
    public init(_ definitions: [InputField], _ arguments: NodeRange<Argument>, in operation: Operation) {
        let document = operation.document
        let written = document[arguments].map { ($0.name, $0.value) }
        fields = ValueTemplate.fields(definitions, written, in: operation)
        source = document.source
        let values = fields.compactMap { field -> CoercedField? in
            guard case .constant(let value) = field.value else { return nil }
            return CoercedField(name: field.name, value: value)
        }
        constant = values.count == fields.count ? ArgumentValues(values) : nil
    }

    /// Whether the values depend on no variable.
    public var isConstant: Bool { constant != nil }

    /// What the document writes for an argument: a constant, a variable by its position, or parts of both. `nil` where
    /// the argument is absent whatever the request.
    public subscript(name: String) -> ValueTemplate? { fields.first { $0.name == name }?.value }

    /// The values of a request. Spec §6.4.1 CoerceArgumentValues: a variable without a value leaves its argument
    /// absent, unless the argument has a default; a null where none may be is thrown.
    public func coerceArgumentValues(_ variables: VariableValues) throws(GraphQLError) -> ArgumentValues {
        if let constant { return constant }
        do throws(UnexpectedNull) {
            return ArgumentValues(try ValueTemplate.values(of: fields, variables))
        } catch {
            throw GraphQLError(
                "Argument '\(error.name)' has coerced Null value for NonNull type '\(error.type)'",
                locations: [source.location(of: Int(error.offset))])
        }
    }
}
