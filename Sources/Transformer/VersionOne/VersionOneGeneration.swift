import GraphQL

extension TransformContext {
    /// Generates the schema of version 1 (reference: transformer, "Transform"). What comes later has its place here:
    /// versioned and http between model and key; predictions and searchable before the rules. `@function` changes no type.
    mutating func generateVersionOne() {
        for type in declared.models {
            if let declaration = model(named: type.name) { applyModel(declaration, to: type) }
        }
        for case .object(let type) in declared.types { applyKeys(of: type) }
        for type in declared.types { applyConnections(of: type) }
        applyRulesVersionOne()
    }
}
