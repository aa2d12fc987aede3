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
