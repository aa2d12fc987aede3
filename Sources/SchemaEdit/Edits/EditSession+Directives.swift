import GraphQL

extension EditSession {
    // MARK: - Rules

    mutating func setRules(_ rules: [ConstValue], of type: String, _ field: String?) throws(EditRefusal) {
        let definition = try syntax.existingType(type, [.object])
        if let field { _ = try syntax.existingMember(field, of: type) }
        let find = { (syntax: SchemaSyntax) -> (file: Int, directive: Syntax.Directive)? in
            if let field {
                guard let found = syntax.member(field, of: type) else { return nil }
                return found.member.directive("auth").map { (found.file, $0) }
            }
            return syntax.directives("auth", of: type).first.map { ($0.definition.file, $0.directive) }
        }
        guard let (file, directive) = find(syntax) else {
            guard !rules.isEmpty else { return }
            return try step { syntax, changes throws(EditRefusal) in
                let found = field.flatMap { syntax.member($0, of: type) }
                let part = syntax.parts(of: type).first(where: \.isModel) ?? definition
                let file = found?.file ?? part.file
                syntax.insertDirective(
                    after: found?.member.directives ?? part.directives,
                    found?.member.directivesStart ?? part.directivesStart, in: file, &changes
                ) {
                    syntax.directiveText("auth", [("rules", .list(rules))], in: file, near: type, indentation: $0)
                }
            }
        }
        guard !rules.isEmpty else {
            return try step { syntax, changes throws(EditRefusal) in syntax.remove(directive, in: file, &changes) }
        }
        try updateDirective(
            knowing: Edit.ruleFields.union(["rules"]), to: { _ in [("rules", .list(rules))] }, find)
    }

    // MARK: - @model

    mutating func setModelArguments(_ arguments: [Edit.ModelArgument], of type: String) throws(EditRefusal) {
        _ = try syntax.existingModel(type)
        let known = Set(Edit.ModelArgument.names).union(Edit.modelArgumentKeys.values.joined())
        try updateDirective(knowing: known, to: { _ in arguments.map { ($0.name, $0.value) } }) { syntax in
            syntax.directives("model", of: type).first.map { ($0.definition.file, $0.directive) }
        }
    }

    // MARK: - Arguments

    /// Changes the arguments of a directive step by step, until they are what they should be.
    mutating func updateDirective(
        knowing known: Set<String>, to arguments: (SchemaSyntax) -> [(name: String, value: ConstValue)],
        _ find: (SchemaSyntax) -> (file: Int, directive: Syntax.Directive)?
    ) throws(EditRefusal) {
        // Each step removes one difference, and an edit has no more differences than values.
        for _ in 0..<limits.membersMax * 8 {
            var isChanged = false
            try step { syntax, changes throws(EditRefusal) in
                guard let (file, directive) = find(syntax) else { return }
                isChanged = syntax.stepArguments(
                    of: directive, in: file, knowing: known, to: arguments(syntax), &changes)
            }
            if !isChanged { return }
        }
        throw EditRefusal(.limit, "The edit has too many differences from what is written.")
    }
}

extension SchemaSyntax {
    /// Makes one change towards these arguments; false if there is nothing left to change.
    func stepArguments(
        of directive: Syntax.Directive, in file: Int, knowing known: Set<String>,
        to arguments: [(name: String, value: ConstValue)], _ changes: inout Changes
    ) -> Bool {
        guard let parentheses = directive.parentheses else {
            guard !arguments.isEmpty else { return false }
            let text = directiveText(
                directive.name.text, arguments.map { ($0.name, $0.value) }, in: file,
                indentation: files[file].indentation(at: directive.range.lowerBound))
            changes.replace(directive.range, in: file, with: text)
            return true
        }
        if arguments.isEmpty, directive.arguments.allSatisfy({ known.contains($0.name.text) }) {
            changes.remove(directive.name.range.upperBound..<parentheses.upperBound, in: file)
            return true
        }
        let update = ValueUpdate(file: files[file], isKnown: known.contains)
        return update.stepFields(from: directive.arguments, within: parentheses, to: arguments, in: &changes)
    }
}
