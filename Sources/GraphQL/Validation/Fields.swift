/// Spec §5.3 Fields. The conflicts of §5.3.2 have a file of their own.
extension Validator {
    /// The selection set of an operation, a field or a named fragment. The type is `nil` below a field that is unknown:
    /// names cannot be tested there, but fragments, directives and variables can.
    mutating func validateSelectionSet(_ selections: NodeRange<Selection>, of type: TypeID?) {
        validate(selections, of: type)
        validateConflicts(in: selections, of: type)
    }

    mutating func validate(_ selections: NodeRange<Selection>, of type: TypeID?) {
        for position in selections.indices where !isFull {
            switch document.selections[position] {
            case .field(let field): validate(field, of: type)
            case .inlineFragment(let fragment): validate(fragment, of: type)
            case .fragmentSpread(let spread): validate(spread, of: type)
            }
        }
    }

    private mutating func validate(_ field: Field, of parent: TypeID?) {
        let definition = parent.flatMap { self.definition(of: field.name, in: $0) }
        // Most fields are a name and nothing else.
        if let definition, definition.isLeaf, !definition.arguments.hasNonNull, field.selectionSet == nil,
            field.arguments.isEmpty, field.directives.isEmpty
        {
            return
        }
        path.append(field.name)
        defer { path.removeLast() }
        // Spec §5.3.1 Field Selections.
        if definition == nil, let parent, index[parent].isComposite {
            report(.fieldUndefined(field: document.name(field.name), type: schema[parent].name), at: field.offset)
        }
        if let definition {
            validateRequiredArguments(definition.arguments, given: field.arguments) {
                $0.report(.missingFieldArgument($1), at: field.offset)
            }
            validateLeaf(field, definition)
        }
        validateArguments(field.arguments, definition?.arguments, unknown: Violation.unknownArgument)
        validate(field.directives, at: .field, node: "Field")
        if let selectionSet = field.selectionSet {
            let type = definition?.namedType
            validateSelectionSet(selectionSet, of: type.flatMap { index[$0].isComposite ? $0 : nil })
        }
    }

    // Spec §5.3.3 Leaf Field Selections.
    private mutating func validateLeaf(_ field: Field, _ definition: SchemaIndex.Member) {
        guard definition.isLeaf != (field.selectionSet == nil) else { return }
        let name = document.name(field.name)
        // AppSync: a wrapped type has no name.
        let type = if case .named(let id) = index[definition.type] { schema[id].name } else { "null" }
        report(
            field.selectionSet == nil
                ? .subSelectionRequired(field: name, type: type) : .subSelectionNotAllowed(field: name, type: type),
            at: field.offset)
    }

    func definition(of field: Name, in type: TypeID) -> SchemaIndex.Member? {
        index.field(named: field, of: type, in: document, allowsIntrospection: allowsIntrospection)
    }
}
