import GraphQL

// @default: what create fills in where its input has no value
// (reference: transformer, "@default, @mapsTo and @refersTo"). The schema does not show it: a non-null field stays
// required.

extension TransformContext {
    mutating func applyDefaults(of type: ObjectTypeDefinition) {
        for (field, declaration) in zip(type.fields, fieldDeclarations(of: type.name)) {
            guard let text = declaration.defaultValue else { continue }
            let place = declaration.defaultPlace.place
            if let fault = defaultFault(of: field, in: type) {
                report([fault], at: place)
            } else if let value = defaultValue(text, of: field.type.namedType) {
                if let model = modelIndex(type.name) {
                    models[model].defaultValues.append(DefaultValue(field: field.name, value: value))
                }
            } else {
                report([invalidDefault(text, of: field.type.namedType)], at: place)
            }
        }
    }

    private func defaultFault(of field: FieldDefinition, in type: ObjectTypeDefinition) -> Fault? {
        if !type.isModel {
            return (
                "The @default directive may only be added to object definitions annotated with @model.",
                "Add @model to type \(type.name)."
            )
        }
        let name = field.type.namedType
        // A type that does not exist at all is validation's to report.
        if field.type.isList || !isScalarOrEnum(name), declared[name] != nil || ScalarMapping[name] != nil {
            return ("The @default directive may only be added to scalar or enum field types.", nil)
        }
        if (primaryKeyFields(of: type.name) ?? ["id"]).contains(field.name) {
            return ("The @default directive may not be applied to fields of the primary key.", nil)
        }
        return nil
    }

    /// The text as a value of a scalar or an enum; `nil` when it is none.
    private func defaultValue(_ text: String, of typeName: String) -> CoercedValue? {
        if case .enumeration(let type) = declared[typeName] {
            return type.values.contains { $0.name == text } ? .enumValue(text) : nil
        }
        guard let scalar = Scalar(name: typeName) else { return nil }
        switch scalar {
        case .int, .bigInt, .awsTimestamp: return scalar.coerce(literal: .int(text))
        case .float, .double: return scalar.coerce(literal: .float(text))
        case .boolean:
            let lower = text.lowercased()
            return lower == "true" || lower == "false" ? .bool(lower == "true") : nil
        default: return scalar.coerce(literal: .string(text))
        }
    }

    private func invalidDefault(_ text: String, of typeName: String) -> Fault {
        if case .enumeration(let type) = declared[typeName] {
            return (
                "Default value \"\(text)\" is not a member of \(typeName) enum.",
                SuggestionList.hint(for: text, among: type.values.map(\.name))
            )
        }
        return ("Default value \"\(text)\" is not a valid \(typeName).", nil)
    }
}
