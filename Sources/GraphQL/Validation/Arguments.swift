/// Spec §5.4 Arguments, of fields and of directives.
extension Validator {
    /// - Parameter definitions: `nil` where the field or directive itself is unknown.
    mutating func validateArguments(
        _ arguments: NodeRange<Argument>, _ definitions: [InputField]?, unknown: (String) -> Violation
    ) {
        guard !arguments.isEmpty else { return }
        for argument in document[arguments] {
            let definition = definitions?.first { document.isName(argument.name, $0.name) }
            if let definition {
                validateType(of: argument, definition)
            } else if definitions != nil {
                report(unknown(document.name(argument.name)), at: argument.offset)
            }
            visit(argument.value, as: definition?.type, hasDefault: definition?.defaultValue != nil)
        }
        validateUniqueness(of: document[arguments].map(\.name), Violation.duplicateArgumentName)
    }

    /// Spec §5.4.2.1 Required Arguments.
    mutating func validateRequiredArguments(
        _ definitions: [InputField], given arguments: NodeRange<Argument>,
        missing: (inout Validator, String) -> Void
    ) {
        for definition in definitions where definition.type.isNonNull {
            let isMissing = definition.defaultValue == nil || Difference.missingArgumentWithDefault.isRefused
            guard isMissing, !document[arguments].contains(where: { document.isName($0.name, definition.name) }) else {
                continue
            }
            missing(&self, definition.name)
        }
    }
}
