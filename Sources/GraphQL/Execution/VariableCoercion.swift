import JSON

/// The way of one variable's value down its type. Spec §3.10 Input Coercion.
struct VariableCoercion {
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
