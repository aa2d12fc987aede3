import GraphQL

// @primaryKey of version 2: the primary key of a table, written on its partition key
// (reference: transformer, "@primaryKey and @index").

/// What is wrong with a directive, and what to do about it.
typealias Fault = (message: String, hint: String?)

extension TransformContext {
    mutating func applyPrimaryKeys(of type: ObjectTypeDefinition) {
        for key in keys(of: type.name) where key.directive == "primaryKey" {
            guard let model = keyedModel(of: type, key) else { continue }
            let faults = self.faults(of: key, on: type)
            report(faults, at: key.place.place)
            guard faults.isEmpty else {
                brokenModels.insert(type.name)
                continue
            }
            models[model].primaryKey = key.fields
            models[model].hasPrimaryKey = true
            generate(key, for: models[model])
        }
    }

    private func faults(of key: KeyDeclaration, on type: ObjectTypeDefinition) -> [Fault] {
        var faults: [Fault] = []
        let others = keys(of: type.name).filter { $0.directive == "primaryKey" }
        if others.count > 1, others.first?.fields[0] != key.fields[0] {
            faults.append(
                (
                    "You may only supply one primary key on type '\(type.name)'.",
                    "Name the second field in `sortKeyFields` of the first, or leave it out."
                ))
        }
        faults += keyFieldFaults(of: key, on: type)
        for name in key.fields {
            guard let field = type.field(named: name), !field.type.isNonNull else { continue }
            faults.append(
                (
                    "The primary key on type '\(type.name)' must reference non-null fields; \(name) is not.",
                    "Declare it as \(name): \(field.type)!"
                ))
        }
        return faults
    }

    // MARK: - What @primaryKey and @index have in common

    /// The position of the model whose key it is; `nil` when there is none, which is reported, or it is at fault.
    mutating func keyedModel(of type: ObjectTypeDefinition, _ key: KeyDeclaration) -> Int? {
        guard type.isModel else {
            diagnostics.report(
                .invalidDirective,
                "@\(key.directive) may only be on a field of an object type with @model; \(type.name) has none.",
                at: key.place.place, hint: "Add @model to type \(type.name).")
            return nil
        }
        return brokenModels.contains(type.name) ? nil : modelIndex(type.name)
    }

    /// Every field of a key is declared, and something a key can be, and named once.
    func keyFieldFaults(of key: KeyDeclaration, on type: ObjectTypeDefinition) -> [Fault] {
        var faults: [Fault] = []
        for (index, name) in key.fields.enumerated() {
            guard let field = type.field(named: name) else {
                faults.append(
                    (
                        "Can't find field '\(name)' in \(type.name), but it was specified in "
                            + "@\(key.directive)(sortKeyFields:).",
                        type.hint(forMissingKeyField: name)
                    ))
                continue
            }
            let typeName = field.type.namedType
            if key.fields[..<index].contains(name) {
                faults.append(
                    index > 0 && name == key.fields[0]
                        ? ("@\(key.directive) field '\(name)' cannot reference itself.", nil)
                        : ("@\(key.directive) on \(type.name).\(key.fields[0]) names '\(name)' twice.", nil))
            } else if self.type(named: typeName) == nil, ScalarMapping[typeName] == nil {
                // A type that does not exist is validation's to report.
                continue
            } else if field.type.isList || typeName == "Boolean" || !isScalarOrEnum(typeName) {
                faults.append(
                    (
                        "\(type.name).\(name) is of type \(field.type) and cannot be part of a key.",
                        "A key is of strings, numbers and enums."
                    ))
            }
        }
        return faults
    }

    mutating func report(_ faults: [Fault], at place: Place?) {
        for fault in faults { diagnostics.report(.invalidDirective, fault.message, at: place, hint: fault.hint) }
    }
}
