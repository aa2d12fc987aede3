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

/// What a request gives for the variables of an operation, by their positions.
public struct VariableValues: Sendable, Hashable {
    /// `nil` of a variable that was neither given nor has a default.
    public internal(set) var values: [CoercedValue?]

    /// The values of an operation without variables.
    public static let none = VariableValues(values: [])

    /// A value by the variable's position.
    public subscript(position: Int) -> CoercedValue? { values.indices.contains(position) ? values[position] : nil }
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

/// The way of one variable's value down its type. Spec §3.10 Input Coercion.
private struct VariableCoercion {
    let schema: Schema
    let variable: OperationVariables.Variable
    let operationType: OperationType
    let source: Source

    /// - Parameter name: What messages call the value: the innermost input field's name, else the variable's.
    func coerce(_ value: JSONValue, as type: GraphQLType, named name: String) throws(GraphQLError) -> CoercedValue {
        if value == .null {
            if type.isNonNull { throw nullError(for: type) }
            return .null
        }
        switch type {
        case .nonNull(let nullable): return try coerce(value, as: nullable, named: name)
        case .list(let element):
            guard case .array(let elements) = value else { return .list([try coerce(value, as: element, named: name)]) }
            var list: [CoercedValue] = []
            list.reserveCapacity(elements.count)
            for value in elements { list.append(try coerce(value, as: element, named: name)) }
            return .list(list)
        case .named(let id):
            switch schema[id].kind {
            case .scalar(let scalar):
                do throws(ScalarError) { return try scalar.coerce(variable: value) } catch {
                    throw invalid(name, error.reason)
                }
            case .enumeration(let names):
                let text = value.stringValue ?? value.description
                guard value.stringValue != nil, names.contains(where: { $0.name.isExactly(text) }) else {
                    throw invalid(
                        name, "Invalid input for Enum '\(schema[id].name)'. No value found for name '\(text)'")
                }
                return .enumValue(text)
            case .inputObject(let fields): return try coerce(value, as: fields, of: schema[id].name, named: name)
            case .object, .interface, .union: preconditionFailure("validation lets no variable have an output type")
            }
        }
    }

    private func coerce(
        _ value: JSONValue, as fields: [InputField], of type: String, named name: String
    ) throws(GraphQLError) -> CoercedValue {
        guard case .object(let object) = value else {
            throw invalid(
                name,
                "Expected type 'Map' but was '\(value.javaClassName)'. Variables for input objects must be an "
                    + "instance of type 'Map'.")
        }
        for (key, _) in object where !fields.contains(where: { $0.name.isExactly(key) }) {
            throw unknownField(key, of: type)
        }
        var coerced: [CoercedField] = []
        for field in fields {
            if let value = object[field.name] {
                let value = try coerce(value, as: field.type, named: field.name)
                coerced.append(CoercedField(name: field.name, value: value))
            } else if let value = schema.defaultValue(of: field) {
                coerced.append(CoercedField(name: field.name, value: value))
            } else if field.type.isNonNull {
                throw nullError(for: field.type)
            }
        }
        return .object(coerced)
    }

    func nullError(for type: GraphQLType) -> GraphQLError {
        error("Variable '\(variable.name)' has coerced Null value for NonNull type '\(schema.name(of: type))'")
    }

    /// AppSync: the blank at the end belongs to the message, and the location is null.
    ///
    /// Of a subscription only `not` is named. These two texts are what DataStore, in JavaScript and in Swift, knows as
    /// the sign that the filter is not served, and subscribes without one (amplify-js `subscription.ts`).
    private func unknownField(_ key: String, of type: String) -> GraphQLError {
        let field = operationType == .subscription && key != "not" ? "field" : "field name '\(key)'"
        return GraphQLError(
            "The variables input contains a \(field) that is not defined for input object type '\(type)' ")
    }

    private func invalid(_ name: String, _ reason: String) -> GraphQLError {
        error("Variable '\(name)' has an invalid value. \(reason)")
    }

    private func error(_ message: String) -> GraphQLError {
        GraphQLError(message, locations: [source.location(of: Int(variable.offset))])
    }
}
