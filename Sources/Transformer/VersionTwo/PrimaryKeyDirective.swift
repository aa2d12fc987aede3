import GraphQL

// @primaryKey of version 2: the primary key of a table, written on its partition key
// (reference: transformer, "@primaryKey and @index").

/// What is wrong with a directive, and what to do about it.
typealias Fault = (message: String, hint: String?)

extension TransformContext {
    mutating func applyPrimaryKeys(of type: ObjectTypeDefinition) {
        for field in type.fields {
            guard let node = field.directive(named: "primaryKey") else { continue }
            guard let model = keyedModel(of: type, node) else { continue }
            let key = KeyDirective(
                name: nil, fields: [field.name] + node.names("sortKeyFields"), queryField: nil, node: node)
            let faults = self.faults(of: key, on: type)
            report(faults, at: node.place)
            guard faults.isEmpty else {
                brokenModels.insert(type.name)
                continue
            }
            models[model].primaryKey = key.fields
            models[model].hasPrimaryKey = true
            generate(key, for: models[model])
        }
    }

    private func faults(of key: KeyDirective, on type: ObjectTypeDefinition) -> [Fault] {
        var faults: [Fault] = []
        let others = type.fields.filter { $0.directive(named: "primaryKey") != nil }
        if others.count > 1, others.first?.name != key.fields[0] {
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
    mutating func keyedModel(of type: ObjectTypeDefinition, _ node: DirectiveNode) -> Int? {
        guard type.isModel else {
            diagnostics.report(
                .invalidDirective,
                "@\(node.name) may only be on a field of an object type with @model; \(type.name) has none.",
                at: node.place, hint: "Add @model to type \(type.name).")
            return nil
        }
        return brokenModels.contains(type.name) ? nil : modelIndex(type.name)
    }

    /// Every field of a key is declared, and something a key can be, and named once.
    func keyFieldFaults(of key: KeyDirective, on type: ObjectTypeDefinition) -> [Fault] {
        var faults: [Fault] = []
        for (index, name) in key.fields.enumerated() {
            guard let field = type.field(named: name) else {
                faults.append(
                    (
                        "Can't find field '\(name)' in \(type.name), but it was specified in "
                            + "@\(key.node.name)(sortKeyFields:).",
                        type.hint(forMissingKeyField: name)
                    ))
                continue
            }
            let typeName = field.type.namedType
            if key.fields[..<index].contains(name) {
                faults.append(
                    index > 0 && name == key.fields[0]
                        ? ("@\(key.node.name) field '\(name)' cannot reference itself.", nil)
                        : ("@\(key.node.name) on \(type.name).\(key.fields[0]) names '\(name)' twice.", nil))
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
