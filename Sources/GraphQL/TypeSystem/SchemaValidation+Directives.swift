/// Spec §5.7 for the directives that a schema applies: known, at their place, once, with the arguments they take.
extension SchemaValidation {
    mutating func validate(_ directives: [DirectiveNode], at location: DirectiveLocation) {
        var first: [String: Place?] = [:]
        for directive in directives {
            guard let definition = definitions.directive(named: directive.name) else {
                report(
                    "Unknown directive \"@\(directive.name)\".", at: directive.place,
                    hint: SuggestionList.hint(for: directive.name, among: definitions.directiveNames, prefix: "@"))
                continue
            }
            if !definition.locations.contains(location.rawValue) {
                report(
                    "Directive \"@\(directive.name)\" may not be used on \(location.rawValue).", at: directive.place,
                    hint: "It may be used on \(definition.locations.joined(separator: ", ")).")
            }
            if !definition.isRepeatable, let known = first.updateValue(directive.place, forKey: directive.name) {
                report(
                    "The directive \"@\(directive.name)\" can only be used once at this location.",
                    at: directive.place, related: [known])
            }
            validateArguments(of: directive, definition)
        }
    }

    private mutating func validateArguments(of directive: DirectiveNode, _ definition: DirectiveDefinition) {
        validateUniqueness(
            of: directive.arguments, by: \.name, at: \.place,
            message: { "There can be only one argument named \"\($0)\"." })
        for argument in directive.arguments {
            guard let expected = definition.arguments.first(where: { $0.name == argument.name }) else {
                report(
                    "Unknown argument \"\(argument.name)\" on directive \"@\(directive.name)\".", at: argument.place,
                    hint: SuggestionList.hint(for: argument.name, among: definition.arguments.map(\.name)))
                continue
            }
            if let problem = problem(with: argument.value, as: expected.type) {
                report(
                    "Argument \"\(argument.name)\" of directive \"@\(directive.name)\" is not valid. \(problem)",
                    at: argument.place)
            }
        }
        for expected in definition.arguments where expected.type.isNonNull && expected.defaultValue == nil {
            guard directive[expected.name] == nil else { continue }
            report(
                "Directive \"@\(directive.name)\" argument \"\(expected.name)\" of type \"\(expected.type)\" is "
                    + "required, but it was not provided.", at: directive.place)
        }
    }
}
