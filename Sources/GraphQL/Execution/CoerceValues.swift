// Literals to values: defaults at once, arguments as templates that wait for the variables of a request.

extension Schema {
    /// A constant as a value of a type, defaults of input fields filled in; `nil` where it is none.
    /// Spec §3.10 Input Coercion.
    public func coerce(constant value: ConstValue, as type: GraphQLType) -> CoercedValue? {
        switch (type, value) {
        case (.nonNull(let nullable), _): return value.isNull ? nil : coerce(constant: value, as: nullable)
        case (_, .null): return .null
        case (.list(let element), .list(let values)):
            var list: [CoercedValue] = []
            for value in values {
                guard let value = coerce(constant: value, as: element) else { return nil }
                list.append(value)
            }
            return .list(list)
        case (.list(let element), _): return coerce(constant: value, as: element).map { .list([$0]) }
        case (.named(let id), _):
            switch (self[id].kind, value) {
            case (.scalar(let scalar), _): return scalar.coerce(literal: value)
            case (.enumeration(let names), .enumValue(let name)):
                return names.contains { $0.name == name } ? .enumValue(name) : nil
            case (.inputObject(let fields), .object(let written)): return coerce(fields: written, as: fields)
            default: return nil
            }
        }
    }

    private func coerce(fields written: [ConstObjectField], as fields: [InputField]) -> CoercedValue? {
        guard written.allSatisfy({ field in fields.contains { $0.name == field.name } }) else { return nil }
        var coerced: [CoercedField] = []
        for field in fields {
            if let value = written.last(where: { $0.name == field.name })?.value {
                guard let value = coerce(constant: value, as: field.type) else { return nil }
                coerced.append(CoercedField(name: field.name, value: value))
            } else if let value = defaultValue(of: field) {
                coerced.append(CoercedField(name: field.name, value: value))
            } else if field.type.isNonNull {
                return nil
            }
        }
        return .object(coerced)
    }

    /// The default of an argument or input field as a value.
    func defaultValue(of field: InputField) -> CoercedValue? {
        field.defaultValue.flatMap { coerce(constant: $0, as: field.type) }
    }
}

/// The arguments of one field: what is present, in the order of the field's definition.
public struct ArgumentValues: Sendable, Hashable {
    /// The arguments that are present; null is present too.
    public internal(set) var fields: [CoercedField]

    /// Arguments by their parts.
    public init(_ fields: [CoercedField] = []) { self.fields = fields }

    /// The value of an argument; `nil` where it is absent.
    public subscript(name: String) -> CoercedValue? { fields.first { $0.name == name }?.value }
}

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

/// A null that came by a variable to where none may be.
struct UnexpectedNull: Error {
    var name: String
    var type: String
    var offset: UInt32
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
