import GraphQL

// @key: the primary key of a table, or a secondary index with its query (reference: transformer, "@key").

extension TransformContext {
    /// Applies the keys of one type, in the order they are written.
    mutating func applyKeys(of type: ObjectTypeDefinition) {
        let keys = keys(of: type.name)
        guard !keys.isEmpty else { return }
        guard let model = modelIndex(type.name) else {
            for key in keys where !type.isModel {
                diagnostics.report(
                    .invalidDirective, "@key may only be on an object type with @model; \(type.name) has none.",
                    at: key.place.place, hint: "Add @model to type \(type.name).")
            }
            return
        }
        for (position, key) in keys.enumerated() {
            guard isValid(key, at: position, among: keys, of: type) else {
                brokenModels.insert(type.name)
                continue
            }
            if key.name == nil {
                models[model].primaryKey = key.fields
                models[model].hasPrimaryKey = true
            } else {
                models[model].addIndex(
                    ModelDraft.Index(
                        name: key.displayName, partitionKey: key.fields[0], sortKeys: key.sortKeys,
                        directiveName: "key", queryField: key.queryField))
            }
            generate(key, for: models[model])
        }
    }

    // MARK: - Validation (reference: transformer, "Validation of keys")

    private mutating func isValid(
        _ key: KeyDeclaration, at position: Int, among keys: [KeyDeclaration], of type: ObjectTypeDefinition
    ) -> Bool {
        let earlier = keys[..<position]
        let place = key.place.place
        var faults: [(message: String, hint: String?)] = []
        if key.fields.isEmpty {
            faults.append(("A @key on type '\(type.name)' must name at least one field.", nil))
        }
        if key.name == nil {
            if earlier.contains(where: { $0.name == nil }) {
                faults.append(
                    (
                        "Type '\(type.name)' may have only one primary @key, which is the one without a name.",
                        "Give this @key a `name`, or leave one of the two out."
                    ))
            }
            if key.queryField != nil {
                faults.append(
                    (
                        "The primary @key of type '\(type.name)' cannot have a 'queryField'.",
                        "The list query takes the primary key as arguments; give the @key a `name` for an index."
                    ))
            }
        } else if earlier.contains(where: { $0.name == key.name }) {
            faults.append(("Type '\(type.name)' may have only one @key with the name '\(key.displayName)'.", nil))
        }
        if key.name != nil, let primary = keys.first(where: { $0.name == nil }), primary.fields.count == 1,
            primary.fields.first == key.fields.first
        {
            faults.append(
                (
                    "The @key '\(key.displayName)' of type '\(type.name)' begins with the field of the primary @key, "
                        + "which has no sort key.",
                    "Give the primary @key a second field, or begin this one with another."
                ))
        }
        // The name of a composite key goes into the names of types, any other one into the name of an index alone.
        if let name = key.name, key.fields.count > 2 ? !"_\(name)".isGraphQLName : !name.isIndexName {
            faults.append(("'\(name)' cannot be the name of a @key.", "Use letters, digits and underscores."))
        }
        if let queryField = key.queryField, !queryField.isGraphQLName {
            faults.append(
                ("'\(queryField)' cannot be the name of a field.", "Use letters, digits and underscores."))
        }
        for (index, name) in key.fields.enumerated() {
            if key.fields[..<index].contains(name) {
                faults.append(("The @key '\(key.displayName)' of type '\(type.name)' names '\(name)' twice.", nil))
            } else if let fault = fault(of: name, in: key, of: type) {
                faults.append(fault)
            }
        }
        for fault in faults { diagnostics.report(.invalidDirective, fault.message, at: place, hint: fault.hint) }
        return faults.isEmpty
    }

    private func fault(
        of name: String, in key: KeyDeclaration, of type: ObjectTypeDefinition
    ) -> (message: String, hint: String?)? {
        guard let field = type.field(named: name) else {
            return (
                "The @key '\(key.displayName)' of type '\(type.name)' names '\(name)', which is not a field.",
                type.hint(forMissingKeyField: name)
            )
        }
        let typeName = field.type.namedType
        // A type that does not exist is validation's to report.
        guard self.type(named: typeName) != nil || ScalarMapping[typeName] != nil else { return nil }
        if typeName == "Boolean" {
            return ("Boolean values cannot be used as keys: \(type.name).\(name).", nil)
        }
        if !isScalarOrEnum(typeName) {
            return ("A key field must be a scalar or an enum; \(type.name).\(name) is of type \(typeName).", nil)
        }
        if key.name == nil, !field.type.isNonNull {
            return (
                "The fields of the primary @key of type '\(type.name)' must be non-null; \(name) is not.",
                "Declare it as \(name): \(field.type)!"
            )
        }
        return nil
    }
}
