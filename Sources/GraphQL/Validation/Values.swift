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
    mutating func validateType(of argument: Argument, _ definition: InputField) {
        guard let problem = problem(with: argument.value, as: definition.type) else { return }
        report(
            .wrongType(
                argument: document.name(argument.name) + problem.way, value: rendered(problem.value ?? argument.value),
                problem: problem.text), at: argument.offset)
    }

    /// The first thing wrong with a literal. Variables are looked at elsewhere, and fit here.
    func problem(with value: ValueNode, as type: GraphQLType) -> LiteralProblem? {
        switch (type, value.kind) {
        case (_, .variable): return nil
        case (.nonNull, .null): return LiteralProblem(value: value, text: "must not be null")
        case (.nonNull(let nullable), _): return problem(with: value, as: nullable)
        case (_, .null): return nil
        case (.list(let element), .list(let range)):
            for (index, value) in document[range].enumerated() {
                if let problem = problem(with: value, as: element) { return problem.under("[\(index)]") }
            }
            return nil
        case (.list(let element), _): return problem(with: value, as: element)
        case (.named(let id), _): return problem(with: value, as: schema[id])
        }
    }

    private func problem(with value: ValueNode, as type: NamedType) -> LiteralProblem? {
        switch type.kind {
        case .scalar(.custom): return nil
        case .scalar(let scalar):
            if case .list = value.kind { break }
            if case .object = value.kind { break }
            if let literal = document.constValue(of: value), scalar.coerce(literal: literal) != nil { return nil }
        case .enumeration(let names):
            if case .enumValue(let name) = value.kind, names.contains(where: { document.isName(name, $0.name) }) {
                return nil
            }
        case .inputObject(let fields):
            guard case .object(let range) = value.kind else {
                return LiteralProblem(text: "must be an object type")
            }
            return problem(with: document[range], as: fields, of: type.name)
        case .object, .interface, .union: return nil  // No argument has such a type.
        }
        return LiteralProblem(value: value, text: "is not a valid '\(type.name)'")
    }

    private func problem(
        with written: Nodes<ObjectField>, as fields: [InputField], of type: String
    ) -> LiteralProblem? {
        let missing = fields.filter { field in
            field.type.isNonNull && (field.defaultValue == nil || Difference.missingInputFieldWithDefault.isRefused)
                && !written.contains { document.isName($0.name, field.name) }
        }
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            return LiteralProblem(text: "is missing required fields '[\(names)]'")
        }
        for field in written {
            guard let definition = fields.first(where: { document.isName(field.name, $0.name) }) else {
                return LiteralProblem(text: "contains a field not in '\(type)': '\(document.name(field.name))'")
            }
            if let problem = problem(with: field.value, as: definition.type) {
                return problem.under(".\(definition.name)")
            }
        }
        return nil
    }

    /// Follows a value to its variables, each with the type of its place, and to its objects.
    ///
    /// - Parameter type: `nil` where the place has none: below something unknown, or inside a custom scalar.
    mutating func visit(_ value: ValueNode, as type: GraphQLType?, hasDefault: Bool) {
        switch value.kind {
        case .variable(let name):
            note(VariableUse(name: name, type: type, hasDefault: hasDefault, offset: value.offset))
        case .list(let range):
            for value in document[range] { visit(value, as: type?.element, hasDefault: false) }
        case .object(let range):
            // Spec §5.6.3 Input Object Field Uniqueness.
            validateUniqueness(of: document[range].map(\.name), Violation.duplicateObjectFieldName)
            let fields = inputFields(of: type)
            for field in document[range] {
                let definition = fields.first { document.isName(field.name, $0.name) }
                visit(field.value, as: definition?.type, hasDefault: definition?.defaultValue != nil)
            }
        default: break
        }
    }

    /// The fields of an input object, also where it stands alone for a list of one.
    private func inputFields(of type: GraphQLType?) -> [InputField] {
        guard let type, case .inputObject(let fields) = schema[type.namedType].kind else { return [] }
        return fields
    }

    /// A value as graphql-java prints its tree.
    func rendered(_ value: ValueNode) -> String {
        switch value.kind {
        case .variable(let name): "VariableReference{name='\(document.name(name))'}"
        case .int(let text): "IntValue{value=\(document.name(text))}"
        case .float(let text): "FloatValue{value=\(document.name(text))}"
        case .string(let range): "StringValue{value='\(document.string(range))'}"
        case .boolean(let value): "BooleanValue{value=\(value)}"
        case .null: "NullValue{}"
        case .enumValue(let name): "EnumValue{name='\(document.name(name))'}"
        case .list(let range): "ArrayValue{values=[\(document[range].map(rendered).joined(separator: ", "))]}"
        case .object(let range):
            "ObjectValue{objectFields=[\(document[range].map(rendered).joined(separator: ", "))]}"
        }
    }

    private func rendered(_ field: ObjectField) -> String {
        "ObjectField{name='\(document.name(field.name))', value=\(rendered(field.value))}"
    }
}
