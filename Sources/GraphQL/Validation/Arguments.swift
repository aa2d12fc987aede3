/// Spec §5.4 Arguments, of fields and of directives.
extension Validator {
    /// - Parameter definitions: `nil` where the field or directive itself is unknown.
    mutating func validateArguments(
        _ arguments: NodeRange<Argument>, _ definitions: SchemaIndex.Inputs?, unknown: (String) -> Violation
    ) {
        guard !arguments.isEmpty else { return }
        for position in arguments.indices {
            let argument = document.arguments[position]
            let definition = definitions.flatMap { index.input(named: argument.name, of: $0, in: document) }
            if let definition {
                validateType(of: argument, definition)
            } else if definitions != nil {
                report(unknown(document.name(argument.name)), at: argument.offset)
            }
            visit(argument.value, as: definition?.type, hasDefault: definition?.hasDefault ?? false)
        }
        validateUniqueness(of: document[arguments].lazy.map { $0.name }, Violation.duplicateArgumentName)
    }

    /// Spec §5.4.2.1 Required Arguments.
    mutating func validateRequiredArguments(
        _ definitions: SchemaIndex.Inputs, given arguments: NodeRange<Argument>,
        missing: (inout Validator, String) -> Void
    ) {
        guard definitions.hasNonNull else { return }
        for position in definitions.positions {
            let definition = index[input: position]
            guard definition.isNonNull,
                !definition.hasDefault || Difference.missingArgumentWithDefault.isRefused,
                !document[arguments].contains(where: { index.isName($0.name, of: definition, in: document) })
            else { continue }
            missing(&self, index.name(of: definition))
        }
    }
}
