import GraphQL

extension TransformContext {
    /// Generates the schema of version 2 (reference: transformer, "Transform"): http and predictions come between model
    /// and primaryKey; searchable after the rules; `@function` changes no type. A foreign key has its place by the
    /// kind of its relation.
    mutating func generateVersionTwo() {
        declareJoinModels()
        if !declared.models.isEmpty { addSharedInputs() }
        for type in declared.models {
            if let declaration = model(named: type.name) { applyModelVersionTwo(declaration, to: type) }
        }
        for case .object(let type) in declared.types { applyPrimaryKeys(of: type) }
        for case .object(let type) in declared.types { applyIndexes(of: type) }
        for relation in relations(.hasMany) { applyHasMany(relation) }
        for relation in relations(.hasOne) { applyHasOne(relation) }
        applyManyToManyRelations()
        for relation in relations(.belongsTo) { applyBelongsTo(relation) }
        for case .object(let type) in declared.types { applyDefaults(of: type) }
        applyRulesVersionTwo()
        applyMappings()
    }
}
