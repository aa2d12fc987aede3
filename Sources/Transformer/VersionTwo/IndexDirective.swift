import GraphQL

// @index of version 2: a secondary index with its query, written on its partition key
// (reference: transformer, "@primaryKey and @index").

extension TransformContext {
    mutating func applyIndexes(of type: ObjectTypeDefinition) {
        for key in keys(of: type.name) where key.directive == "index" {
            guard let model = keyedModel(of: type, key) else { continue }
            let faults = self.faults(of: key, on: type, among: models[model].indexes)
            report(faults, at: key.place.place)
            guard faults.isEmpty else {
                brokenModels.insert(type.name)
                continue
            }
            models[model].addIndex(
                ModelDraft.Index(
                    name: key.displayName, partitionKey: key.fields[0], sortKeys: key.sortKeys,
                    directiveName: "index", queryField: key.queryField))
            generate(key, for: models[model])
        }
    }

    private func faults(
        of key: KeyDeclaration, on type: ObjectTypeDefinition, among indexes: [ModelDraft.Index]
    ) -> [Fault] {
        var faults: [Fault] = []
        let name = key.displayName
        if key.hasNullName {
            faults.append(("An index has a name: null is none.", "Leave `name` out for a generated one."))
        }
        if indexes.contains(where: { $0.name == name }) {
            faults.append(("You may only supply one @index with the name '\(name)' on type '\(type.name)'.", nil))
        }
        // DynamoDB, "Naming rules": 3 to 255 characters. A composite key's name goes into the names of types besides.
        let isNameFit = key.sortKeys.count > 1 ? "_\(name)".isGraphQLName : name.isIndexName
        if !isNameFit || !(3...255).contains(name.utf8.count) {
            faults.append(
                (
                    "'\(name)' cannot be the name of an @index.",
                    "Use 3 to 255 letters, digits and underscores."
                ))
        }
        if let queryField = key.queryField, !queryField.isGraphQLName {
            faults.append(("'\(queryField)' cannot be the name of a field.", "Use letters, digits and underscores."))
        }
        if let primary = primaryKeyFields(of: type.name), primary.count == 1, primary[0] == key.fields[0] {
            faults.append(
                (
                    "The @index '\(name)' of type '\(type.name)' begins with the primary key, which has no sort key.",
                    "Give the @primaryKey `sortKeyFields`, or put the @index on another field."
                ))
        }
        return faults + keyFieldFaults(of: key, on: type)
    }
}
