/// Spec §5.3 Fields. The conflicts of §5.3.2 have a file of their own.
extension Validator {
    /// The selection set of an operation, a field or a named fragment. The type is `nil` below a field that is unknown:
    /// names cannot be tested there, but fragments, directives and variables can.
    mutating func validateSelectionSet(_ selections: NodeRange<Selection>, of type: TypeID?) {
        validate(selections, of: type)
        validateConflicts(in: selections, of: type)
    }

    mutating func validate(_ selections: NodeRange<Selection>, of type: TypeID?) {
        for selection in document[selections] where !isFull {
            switch selection {
            case .field(let field): validate(field, of: type)
            case .inlineFragment(let fragment): validate(fragment, of: type)
            case .fragmentSpread(let spread): validate(spread, of: type)
            }
        }
    }

    private mutating func validate(_ field: Field, of parent: TypeID?) {
        let name = document.name(field.name)
        path.append(name)
        defer { path.removeLast() }
        let definition = parent.flatMap { self.definition(of: name, in: $0) }
        // Spec §5.3.1 Field Selections.
        if definition == nil, let parent, schema[parent].isComposite {
            report(.fieldUndefined(field: name, type: schema[parent].name), at: field.offset)
        }
        if let definition {
            validateRequiredArguments(definition.arguments, given: field.arguments) {
                $0.report(.missingFieldArgument($1), at: field.offset)
            }
            validateLeaf(field, name, definition.type)
        }
        validateArguments(field.arguments, definition?.arguments, unknown: Violation.unknownArgument)
        validate(field.directives, at: .field, node: "Field")
        if let selectionSet = field.selectionSet {
            let type = definition.map(\.type.namedType).flatMap { schema[$0].isComposite ? $0 : nil }
            validateSelectionSet(selectionSet, of: type)
        }
    }

    // Spec §5.3.3 Leaf Field Selections.
    private mutating func validateLeaf(_ field: Field, _ name: String, _ type: GraphQLType) {
        // AppSync: a wrapped type has no name.
        let typeName = if case .named(let id) = type { schema[id].name } else { "null" }
        let isLeaf = schema[type.namedType].isLeaf
        if isLeaf, field.selectionSet != nil {
            report(.subSelectionNotAllowed(field: name, type: typeName), at: field.offset)
        } else if !isLeaf, field.selectionSet == nil {
            report(.subSelectionRequired(field: name, type: typeName), at: field.offset)
        }
    }

    func definition(of field: String, in type: TypeID) -> FieldType? {
        guard let reference = schema.field(named: field, of: type) else { return nil }
        switch reference {
        case .schema, .type: return allowsIntrospection ? schema.definition(of: reference, in: type) : nil
        case .typename, .field: return schema.definition(of: reference, in: type)
        }
    }
}
