/// Spec §5.1 Documents.
extension Validator {
    // Spec §5.1.1 Executable Definitions.
    mutating func validate(_ definition: NonExecutableDefinition) {
        path = []
        report(.nonExecutableDefinition(definition.name), at: definition.offset)
    }
}
