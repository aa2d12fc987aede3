/// A value of a document before the variables are known.
public indirect enum ValueTemplate: Sendable {
    /// Coerced already.
    case constant(CoercedValue)
    /// A variable by its position.
    case variable(Int)
    /// A list with a variable in it; a variable without a value is a null there.
    case list([ValueTemplate])
    /// An object with a variable in it.
    case object([Field])

    /// An argument, or a field of an input object.
    public struct Field: Sendable {
        /// Its name.
        public let name: String
        /// What is written, or else its default.
        public let value: ValueTemplate
        /// Taken where a variable has no value.
        let defaultValue: CoercedValue?
        /// The type's text where null may not be.
        let nonNullType: String?
        let offset: UInt32
    }
}

extension ValueTemplate {
    /// The value, once the variables are known; `nil` of a variable without one.
    func value(_ variables: VariableValues) throws(UnexpectedNull) -> CoercedValue? {
        switch self {
        case .constant(let value): return value
        case .variable(let position): return variables[position]
        case .list(let elements):
            var values: [CoercedValue] = []
            values.reserveCapacity(elements.count)
            for element in elements { values.append(try element.value(variables) ?? .null) }
            return .list(values)
        case .object(let fields): return .object(try Self.values(of: fields, variables))
        }
    }

    static func values(of fields: [Field], _ variables: VariableValues) throws(UnexpectedNull) -> [CoercedField] {
        var values: [CoercedField] = []
        values.reserveCapacity(fields.count)
        for field in fields {
            let value = try field.value.value(variables) ?? field.defaultValue
            if let type = field.nonNullType, value == nil || value == .null {
                throw UnexpectedNull(name: field.name, type: type, offset: field.offset)
            }
            if let value { values.append(CoercedField(name: field.name, value: value)) }
        }
        return values
    }

    /// The fields of a definition with what is written for them; those with neither value nor default are left out.
    static func fields(
        _ definitions: [InputField], _ written: [(name: Name, value: ValueNode)], in operation: Operation
    ) -> [Field] {
        let document = operation.document
        return definitions.compactMap { definition in
            let defaultValue = operation.schema.defaultValue(of: definition)
            guard let (_, node) = written.last(where: { document.isName($0.name, definition.name) }) else {
                return defaultValue.map {
                    Field(name: definition.name, value: .constant($0), defaultValue: nil, nonNullType: nil, offset: 0)
                }
            }
            let type = definition.type
            return Field(
                name: definition.name, value: template(of: node, as: type, in: operation), defaultValue: defaultValue,
                nonNullType: type.isNonNull ? operation.schema.name(of: type) : nil, offset: node.offset)
        }
    }

    private static func template(of node: ValueNode, as type: GraphQLType, in operation: Operation) -> ValueTemplate {
        if case .variable(let name) = node.kind {
            guard let position = operation.variables.position(of: operation.document.name(name)) else {
                preconditionFailure("validation has found every variable")
            }
            return .variable(position)
        }
        if let literal = operation.document.constValue(of: node) {
            guard let value = operation.schema.coerce(constant: literal, as: type) else {
                preconditionFailure("validation has tested every literal")
            }
            return .constant(value)
        }
        // What is left holds a variable somewhere inside.
        switch (node.kind, type.nullable) {
        case (.list(let range), .list(let element)):
            return .list(operation.document[range].map { template(of: $0, as: element, in: operation) })
        case (.list(let range), _):  // A custom scalar takes any value.
            return .list(operation.document[range].map { template(of: $0, as: type, in: operation) })
        case (_, .list(let element)): return .list([template(of: node, as: element, in: operation)])
        case (.object(let range), .named(let id)):
            let written = operation.document[range].map { ($0.name, $0.value) }
            if case .inputObject(let definitions) = operation.schema[id].kind {
                return .object(fields(definitions, written, in: operation))
            }
            return .object(
                written.map { name, node in
                    Field(
                        name: operation.document.name(name), value: template(of: node, as: type, in: operation),
                        defaultValue: nil, nonNullType: nil, offset: node.offset)
                })
        default: preconditionFailure("only lists and objects hold variables")
        }
    }
}
