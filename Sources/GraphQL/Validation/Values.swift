/// Spec §5.6 Values. The rendering of values is the engine's, `StringValue{value='x'}`.
extension Validator {
    /// What is wrong with a literal: the way to it inside the argument, and words.
    struct LiteralProblem {
        /// `.sub[0]`, empty for the argument itself.
        var way = ""
        /// The literal that fails; `nil` where the whole argument is shown.
        var value: ValueNode?
        var text: String

        func under(_ step: String) -> LiteralProblem { LiteralProblem(way: step + way, value: value, text: text) }
    }

    // Spec §5.6.1 Values of Correct Type, §5.6.2 Input Object Field Names, §5.6.4 Input Object Required Fields.
    mutating func validateType(of argument: Argument, _ definition: SchemaIndex.Member) {
        guard let problem = problem(with: argument.value, as: definition.type) else { return }
        report(
            .wrongType(
                argument: document.name(argument.name) + problem.way,
                value: document.rendered(problem.value ?? argument.value), problem: problem.text), at: argument.offset)
    }

    /// The first thing wrong with a literal. Variables are looked at elsewhere, and fit here.
    func problem(with value: ValueNode, as type: SchemaIndex.TypeReference) -> LiteralProblem? {
        switch (index[type], value.kind) {
        case (_, .variable): return nil
        case (.nonNull, .null): return LiteralProblem(value: value, text: "must not be null")
        case (.nonNull(let nullable), _): return problem(with: value, as: nullable)
        case (_, .null): return nil
        case (.list(let element), .list(let range)):
            for (index, position) in range.indices.enumerated() {
                if let problem = problem(with: document.values[position], as: element) {
                    return problem.under("[\(index)]")
                }
            }
            return nil
        case (.list(let element), _): return problem(with: value, as: element)
        case (.named(let id), _): return problem(with: value, as: id)
        }
    }

    /// The same for a type that a variable declares, whose name is that of `named`.
    func problem(
        with value: ValueNode, asDeclared type: TypeReference.Index, of named: TypeID
    ) -> LiteralProblem? {
        switch (document[type: type], value.kind) {
        case (_, .variable): return nil
        case (.nonNull, .null): return LiteralProblem(value: value, text: "must not be null")
        case (.nonNull(let nullable), _): return problem(with: value, asDeclared: nullable, of: named)
        case (_, .null): return nil
        case (.list(let element, offset: _), .list(let range)):
            for (index, position) in range.indices.enumerated() {
                if let problem = problem(with: document.values[position], asDeclared: element, of: named) {
                    return problem.under("[\(index)]")
                }
            }
            return nil
        case (.list(let element, offset: _), _): return problem(with: value, asDeclared: element, of: named)
        case (.named, _): return problem(with: value, as: named)
        }
    }

    private func problem(with value: ValueNode, as type: TypeID) -> LiteralProblem? {
        let named = index[type]
        switch named.kind {
        case .scalar: if isLiteral(value, of: type, named.literals) { return nil }
        case .enumeration:
            if case .enumValue(let name) = value.kind, index.hasValue(named: name, of: type, in: document) {
                return nil
            }
        case .inputObject:
            guard case .object(let range) = value.kind else {
                return LiteralProblem(text: "must be an object type")
            }
            return problem(with: range, as: named.fields, of: type)
        case .composite: return nil  // No argument has such a type.
        }
        return LiteralProblem(value: value, text: "is not a valid '\(schema[type].name)'")
    }

    private func isLiteral(_ value: ValueNode, of type: TypeID, _ literals: SchemaIndex.Literals) -> Bool {
        switch value.kind {
        case .list, .object: return literals == .all
        case .string where literals.contains(.string), .boolean where literals.contains(.boolean): return true
        case .int(let text)
        where literals.contains(.shortInt) && text.count <= SchemaIndex.Literals.shortDigitsMax:
            return true
        default:
            guard case .scalar(let scalar) = schema[type].kind, let literal = document.constValue(of: value) else {
                return false
            }
            return scalar.coerce(literal: literal) != nil
        }
    }

    private func problem(
        with written: NodeRange<ObjectField>, as fields: SchemaIndex.Inputs, of type: TypeID
    ) -> LiteralProblem? {
        let missing = missingFields(of: fields, in: written)
        guard missing.isEmpty else {
            return LiteralProblem(text: "is missing required fields '[\(missing.joined(separator: ", "))]'")
        }
        for position in written.indices {
            let field = document.objectFields[position]
            guard let definition = index.input(named: field.name, of: fields, in: document) else {
                let name = document.name(field.name)
                return LiteralProblem(text: "contains a field not in '\(schema[type].name)': '\(name)'")
            }
            if let problem = problem(with: field.value, as: definition.type) {
                return problem.under(".\(document.name(field.name))")
            }
        }
        return nil
    }

    private func missingFields(of fields: SchemaIndex.Inputs, in written: NodeRange<ObjectField>) -> [String] {
        guard fields.hasNonNull else { return [] }
        return fields.positions.compactMap { position in
            let field = index[input: position]
            let isMissing =
                field.isNonNull && (!field.hasDefault || Difference.missingInputFieldWithDefault.isRefused)
                && !document[written].contains { index.isName($0.name, of: field, in: document) }
            return isMissing ? index.name(of: field) : nil
        }
    }

    /// Follows a value to its variables, each with the type of its place, and to its objects.
    ///
    /// - Parameter type: `nil` where the place has none: below something unknown, or inside a custom scalar.
    mutating func visit(_ value: ValueNode, as type: SchemaIndex.TypeReference?, hasDefault: Bool) {
        switch value.kind {
        case .variable(let name):
            note(VariableUse(name: name, type: type, hasDefault: hasDefault, offset: value.offset))
        case .list(let range):
            let element = type.flatMap(index.element)
            for position in range.indices { visit(document.values[position], as: element, hasDefault: false) }
        case .object(let range):
            // Spec §5.6.3 Input Object Field Uniqueness.
            validateUniqueness(of: document[range].lazy.map { $0.name }, Violation.duplicateObjectFieldName)
            // An object may stand alone for a list of one.
            let fields = type.map { index[index.namedType(of: $0)].fields }
            for position in range.indices {
                let field = document.objectFields[position]
                let definition = fields.flatMap { index.input(named: field.name, of: $0, in: document) }
                visit(field.value, as: definition?.type, hasDefault: definition?.hasDefault ?? false)
            }
        default: break
        }
    }
}

extension Document {
    /// A value as graphql-java prints its tree.
    func rendered(_ value: ValueNode) -> String {
        switch value.kind {
        case .variable(let name): "VariableReference{name='\(self.name(name))'}"
        case .int(let text): "IntValue{value=\(name(text))}"
        case .float(let text): "FloatValue{value=\(name(text))}"
        case .string(let range): "StringValue{value='\(string(range))'}"
        case .boolean(let value): "BooleanValue{value=\(value)}"
        case .null: "NullValue{}"
        case .enumValue(let name): "EnumValue{name='\(self.name(name))'}"
        case .list(let range): "ArrayValue{values=[\(self[range].map(rendered).joined(separator: ", "))]}"
        case .object(let range):
            "ObjectValue{objectFields=[\(self[range].map(rendered).joined(separator: ", "))]}"
        }
    }

    private func rendered(_ field: ObjectField) -> String {
        "ObjectField{name='\(name(field.name))', value=\(rendered(field.value))}"
    }
}
