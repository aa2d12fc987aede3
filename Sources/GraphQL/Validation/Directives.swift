/// Spec §5.7 Directives.
extension Validator {
    /// - Parameter node: What the engine calls the place, for `DuplicateDirectiveName`.
    mutating func validate(_ directives: NodeRange<Directive>, at location: DirectiveLocation, node: String) {
        guard !directives.isEmpty else { return }
        let repeated = document.repeated(document[directives].lazy.map { $0.name })
        for (position, directive) in document[directives].enumerated() {
            let definition = index.directive(named: directive.name, in: document)
            if let definition {
                if !definition.isAllowed(at: location) {
                    report(.misplacedDirective(document.name(directive.name)), at: directive.offset)
                }
                validateRequiredArguments(definition.arguments, given: directive.arguments) {
                    $0.report(.missingDirectiveArgument($1), at: directive.offset)
                }
            } else {
                report(.unknownDirective(document.name(directive.name)), at: directive.offset)
            }
            validateArguments(
                directive.arguments, definition?.arguments, unknown: Violation.unknownDirectiveArgument)
            let isRepeatable = definition?.isRepeatable ?? true
            if !isRepeatable, repeated.contains(position), Difference.duplicateName.isRefused {
                report(.duplicateDirectiveName(document.name(directive.name), node: node), at: directive.offset)
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
