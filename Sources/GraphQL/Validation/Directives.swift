/// Spec §5.7 Directives.
extension Validator {
    /// - Parameter node: What the engine calls the place, for `DuplicateDirectiveName`.
    mutating func validate(_ directives: NodeRange<Directive>, at location: DirectiveLocation, node: String) {
        guard !directives.isEmpty else { return }
        var seen: Set<String> = []
        for directive in document[directives] {
            let name = document.name(directive.name)
            let definition = schema.directive(named: name)
            if let definition {
                if !definition.locations.contains(location) { report(.misplacedDirective(name), at: directive.offset) }
                validateRequiredArguments(definition.arguments, given: directive.arguments) {
                    $0.report(.missingDirectiveArgument($1), at: directive.offset)
                }
            } else {
                report(.unknownDirective(name), at: directive.offset)
            }
            validateArguments(
                directive.arguments, definition?.arguments, unknown: Violation.unknownDirectiveArgument)
            let isRepeatable = definition?.isRepeatable ?? true
            if !isRepeatable, !seen.insert(name).inserted, Difference.duplicateName.isRefused {
                report(.duplicateDirectiveName(name, node: node), at: directive.offset)
            }
        }
    }
}

extension DirectiveLocation {
    init(_ operation: OperationType) {
        switch operation {
        case .query: self = .query
        case .mutation: self = .mutation
        case .subscription: self = .subscription
        }
    }
}
