public import JSON

/// The variables of an operation, each with its type and its default as a value. Made once per operation.
public struct OperationVariables: Sendable {
    struct Variable: Sendable {
        var name: String
        var type: GraphQLType
        var defaultValue: CoercedValue?
        var offset: UInt32
    }

    let variables: [Variable]
    private let operationType: OperationType
    private let positions: [String: Int]
    private let source: Source

    init(of operation: OperationDefinition, in document: Document, schema: Schema) {
        source = document.source
        operationType = operation.type
        variables = document[operation.variableDefinitions].compactMap { definition in
            // Validation has found the type; without it no value could reach an argument.
            guard let type = schema.type(document.typeNode(of: definition.type)) else { return nil }
            let literal = definition.defaultValue.flatMap(document.constValue)
            return Variable(
                name: document.name(definition.name), type: type,
                defaultValue: literal.flatMap { schema.coerce(constant: $0, as: type) }, offset: definition.offset)
        }
        positions = Dictionary(
            zip(variables.map(\.name), variables.indices), uniquingKeysWith: { _, last in last })
    }

    /// The names, in the order of the text.
    public var names: [String] { variables.map(\.name) }

    /// The position of a variable, by which `VariableValues` are read.
    public func position(of name: String) -> Int? { positions[name] }
}

extension OperationVariables {
    /// The values of a request. Spec §6.1.2 CoerceVariableValues; the first that fails is thrown.
    ///
    /// AppSync: where null is allowed, a default is used for null as well as where nothing is given. What is given beyond
    /// the declared variables is ignored.
    public func coerceVariableValues(_ given: JSONObject?, schema: Schema) throws(GraphQLError) -> VariableValues {
        var values: [CoercedValue?] = []
        values.reserveCapacity(variables.count)
        for variable in variables {
            let value = given?[variable.name]
            if let defaultValue = variable.defaultValue, value.map({ $0.isNull && !variable.type.isNonNull }) ?? true {
                values.append(defaultValue)
            } else if let value {
                values.append(try coercion(of: variable, schema).coerce(value, as: variable.type, named: variable.name))
            } else if variable.type.isNonNull {
                throw coercion(of: variable, schema).nullError(for: variable.type)
            } else {
                values.append(nil)
            }
        }
        return VariableValues(values: values)
    }

    private func coercion(of variable: Variable, _ schema: Schema) -> VariableCoercion {
        VariableCoercion(schema: schema, variable: variable, operationType: operationType, source: source)
    }
}
