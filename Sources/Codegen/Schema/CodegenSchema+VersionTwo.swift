import JSON
import Transformer

// Relations of version 2: `@hasOne`, `@hasMany` and `@belongsTo`.

extension CodegenSchema {
    mutating func connectVersionTwo(for target: CodegenTarget) throws(Diagnostic) {
        for index in models.indices {
            for field in models[index].fields {
                guard let directive = field.directives.first(where: { CodegenDirective.relations.contains($0.name) }),
                    let other = self.index(of: field.type)
                else { continue }
                guard directive.names("fields")?.isEmpty ?? true || directive.names("references")?.isEmpty ?? true
                else {
                    throw failure(
                        "\(models[index].name).\(field.name) has both fields and references.", at: field.place,
                        hint: "Write one of them.")
                }
                let connection =
                    switch directive.name {
                    case "hasMany": try hasMany(field, directive, in: index, to: other, for: target)
                    case "hasOne": try hasOne(field, directive, in: index, to: other, for: target)
                    default: try belongsTo(field, directive, in: index, to: other)
                    }
                setConnection(connection, of: field.name, in: index)
            }
            removeUnconnectedFields(of: index)
        }
        removeTargets(for: target)
    }

    // MARK: - hasMany

    private mutating func hasMany(
        _ field: CodegenField, _ directive: CodegenDirective, in index: Int, to other: Int, for target: CodegenTarget
    ) throws(Diagnostic) -> FieldConnection {
        let name = "\(models[index].name).\(field.name)"
        guard field.isList else {
            throw failure("\(name) has @hasMany and is no list.", at: field.place, hint: "Write [\(field.type)].")
        }
        var connection = FieldConnection(kind: .hasMany, model: field.type)
        if let references = directive.names("references"), !references.isEmpty {
            connection.usesReferences = true
            connection.associatedField = try fieldByReferences(references, of: field, in: index, to: other)
            connection.associatedFields = references
            if target.isJavaScript { imputeKey(connection, of: field, directive, in: index, to: other) }
            return connection
        }
        if options.hasCustomKeys {
            connection.associatedFields = try hasManyFields(field, directive, in: index, to: other, for: target)
        } else {
            let partner = try partner(of: field, directive, in: index, to: other, for: target)
            connection.associatedFields = [partner]
        }
        connection.associatedField = connection.associatedFields.first
        let keys = options.hasCustomKeys ? models[index].keyFields : []
        addKeyFields(connection.associatedFields, typedBy: keys, isNullable: true, to: other)
        if target.isJavaScript { imputeKey(connection, of: field, directive, in: index, to: other) }
        return connection
    }

    /// The fields of the other model by which the items of a list are found, where keys are custom.
    private mutating func hasManyFields(
        _ field: CodegenField, _ directive: CodegenDirective, in index: Int, to other: Int, for target: CodegenTarget
    ) throws(Diagnostic) -> [String] {
        let back = backReference(in: other, to: index)
        if directive.names("fields") != nil {
            models[other].tagFieldDirectives()
            let name = try keyField(directive, of: field, in: index, to: other) ?? back?.name ?? "id"
            let matching = models[other].fields.first {
                $0.type == models[index].name && $0.directive("belongsTo")?.names("fields")?.first == name
            }
            guard let found = matching ?? models[other].field(name) else {
                throw missing(name, field, in: index, to: other)
            }
            return [found.name]
        }
        if let back, target == .swift { return [back.name] }
        return models[index].keyFields.map { Self.foreignKey(models[index].name, field.name, $0.name) }
    }

    /// The field that carries the index that a directive names, or the primary key; nil where none is declared.
    private func keyField(
        _ directive: CodegenDirective, of field: CodegenField, in index: Int, to other: Int
    ) throws(Diagnostic) -> String? {
        guard let indexName = directive.text("indexName") else {
            return models[other].primaryKeyField?.name
        }
        let found = models[other].fields.first { field in
            field.directives.contains { $0.name == "index" && $0.text("name") == indexName }
        }
        guard let found else {
            throw failure(
                "\(models[index].name).\(field.name) goes by the index \(indexName), which \(field.type) does not have.",
                at: field.place, hint: "Write @index(name: \"\(indexName)\") on a field of \(field.type).")
        }
        return found.name
    }

    private func missing(_ name: String, _ field: CodegenField, in index: Int, to other: Int) -> Diagnostic {
        failure(
            "\(models[index].name).\(field.name) goes by the field \(name), which \(models[other].name) does not have.",
            at: field.place)
    }

    /// Declares the key of a list that no directive declares, as amplify-js expects it.
    private mutating func imputeKey(
        _ connection: FieldConnection, of field: CodegenField, _ directive: CodegenDirective, in index: Int,
        to other: Int
    ) {
        let back = models[other].fields.first { $0.type == models[index].name }
        guard back?.directive("belongsTo") == nil, directive.text("indexName") ?? "" == "" else { return }
        models[other].directives.append(
            CodegenDirective(
                "key",
                [
                    "name": .string(Names.connectionIndex("\(models[index].name).\(field.name)")),
                    "fields": .array(connection.associatedFields.map(JSONValue.string)),
                ]))
    }

    // MARK: - hasOne

    private mutating func hasOne(
        _ field: CodegenField, _ directive: CodegenDirective, in index: Int, to other: Int, for target: CodegenTarget
    ) throws(Diagnostic) -> FieldConnection {
        let back = backReference(in: other, to: index)
        guard !field.isList, back?.isList != true else {
            throw failure(
                "\(models[index].name).\(field.name) has @hasOne, and one of its ends is a list.", at: field.place,
                hint: "Lists have @hasMany.")
        }
        var connection = FieldConnection(kind: .hasOne, model: field.type)
        if let references = directive.names("references"), !references.isEmpty {
            connection.usesReferences = true
            connection.associatedField = try fieldByReferences(references, of: field, in: index, to: other)
            connection.associatedFields = references
            connection.targetNames = nil
            return connection
        }
        let keys = models[other].keyFields
        let fields = directive.names("fields") ?? []
        if options.hasCustomKeys {
            let usesBack = back != nil && target == .swift
            connection.associatedFields = usesBack ? [back?.name ?? "id"] : keys.map(\.name)
            connection.targetNames =
                fields.isEmpty
                ? keys.map { Self.foreignKey(models[index].name, field.name, $0.name) } : fields
        } else {
            connection.associatedFields = [try partner(of: field, directive, in: index, to: other, for: target)]
            connection.targetNames = fields.isEmpty ? [Self.foreignKey(models[index].name, field.name)] : fields
        }
        connection.associatedField = connection.associatedFields.first
        connection.targetName = connection.targetNames?.first
        let added = options.hasCustomKeys ? connection.targetNames ?? [] : [connection.targetName].compactMap(\.self)
        addKeyFields(added, typedBy: options.hasCustomKeys ? keys : [], isNullable: field.isNullable, to: index)
        return connection
    }

    // MARK: - belongsTo

    private mutating func belongsTo(
        _ field: CodegenField, _ directive: CodegenDirective, in index: Int, to other: Int
    ) throws(Diagnostic) -> FieldConnection {
        let model = models[index].name
        guard !field.isList else {
            throw failure("\(model).\(field.name) has @belongsTo and is a list.", at: field.place)
        }
        models[other].tagFieldDirectives()
        let partners = models[other].fields.filter {
            $0.type == model && ($0.isList ? $0.directive("hasMany") : $0.directive("hasOne")) != nil
        }
        guard let first = partners.first else {
            throw failure(
                "\(model).\(field.name) has @belongsTo, and \(field.type) has no field with @hasMany or @hasOne of \(model).",
                at: field.place, hint: "Relate it in \(field.type), or write @hasOne in place of @belongsTo.")
        }
        var connection = FieldConnection(kind: .belongsTo, model: field.type)
        let references = directive.names("references") ?? []
        var partner = first
        if !references.isEmpty {
            let match = partners.first { candidate in
                candidate.directives.contains {
                    ["hasOne", "hasMany"].contains($0.name) && $0.names("references") == references
                }
            }
            guard let match else {
                throw failure(
                    "\(model).\(field.name) refers to \(references.joined(separator: ", ")), and no field of \(field.type) does.",
                    at: field.place, hint: "Write the same references on the field of \(field.type).")
            }
            connection.usesReferences = true
            if !options.hasCustomKeys { partner = match }
        } else if !options.hasCustomKeys, partners.count > 1 {
            let name = Self.foreignKey(model, field.name)
            partner = models[other].field(name) ?? CodegenField(name, "ID", isNullable: true)
        }
        var targets = (directive.names("fields") ?? []) + references
        if targets.isEmpty {
            let (type, name) = partner.isList ? (field.type, partner.name) : (model, field.name)
            let keys = options.hasCustomKeys ? models[other].keyFields.map(\.name) : ["id"]
            targets = keys.map { Self.foreignKey(type, name, $0) }
        }
        connection.targetNames = targets
        connection.targetName = targets.first
        let keys = options.hasCustomKeys ? models[other].keyFields : []
        let added = options.hasCustomKeys ? targets : Array(targets.prefix(1))
        addKeyFields(added, typedBy: keys, isNullable: field.isNullable, to: index)
        return connection
    }

    // MARK: - Both sides

    /// Adds the fields that hold a key of another model, each with the type of its part of the key; without one, `ID`.
    private mutating func addKeyFields(
        _ names: [String], typedBy keys: [CodegenField], isNullable: Bool, to model: Int
    ) {
        for (position, name) in names.enumerated() {
            let type = keys.indices.contains(position) ? keys[position].type : "ID"
            models[model].add(CodegenField(name, type, isNullable: isNullable))
        }
    }

    /// The field with `@belongsTo` by which the other model leads back.
    private func backReference(in other: Int, to index: Int) -> CodegenField? {
        models[other].fields.first { $0.type == models[index].name && $0.directive("belongsTo") != nil }
    }

    /// The field of the other model that refers by the same fields.
    private mutating func fieldByReferences(
        _ references: [String], of field: CodegenField, in index: Int, to other: Int
    ) throws(Diagnostic) -> String {
        models[other].tagFieldDirectives()
        let match = models[other].fields.first { candidate in
            candidate.directives.contains { $0.names("references") == references }
        }
        guard let match else {
            throw failure(
                "\(models[index].name).\(field.name) is referred to by \(references.joined(separator: ", ")), and no field of \(field.type) does.",
                at: field.place, hint: "Write @belongsTo with the same references in \(field.type).")
        }
        return match.name
    }

    /// The field at the other end, where keys are not custom: one that exists, or a foreign key that is to be added.
    private mutating func partner(
        of field: CodegenField, _ directive: CodegenDirective, in index: Int, to other: Int, for target: CodegenTarget
    ) throws(Diagnostic) -> String {
        let model = models[index].name
        let relations = models[other].fields.filter { $0.type == model }
        if directive.names("fields") != nil || directive.name == "hasOne" {
            models[other].tagFieldDirectives()
            let back = backReference(in: other, to: index)
            let name = try keyField(directive, of: field, in: index, to: other) ?? back?.name ?? "id"
            let matching = relations.first { candidate in
                candidate.directives.contains {
                    CodegenDirective.relations.contains($0.name) && $0.names("fields")?.first == name
                }
            }
            guard let found = matching ?? models[other].field(name) else {
                throw missing(name, field, in: index, to: other)
            }
            return found.name
        }
        let related = relations.first { $0.directives.contains { CodegenDirective.relations.contains($0.name) } }
        if target == .swift, let related { return related.name }
        return Self.foreignKey(model, field.name)
    }

    /// Removes the fields that hold keys of items to which the models belong: clients see the items.
    private mutating func removeTargets(for target: CodegenTarget) {
        guard !options.hasCustomKeys || target == .swift else { return }
        for index in models.indices {
            let keys = models[index].primaryKey?.fields ?? []
            for connection in models[index].fields.compactMap(\.connection) where connection.kind == .belongsTo {
                guard let first = connection.targetName, first != "id" else { continue }
                if options.hasCustomKeys {
                    for name in connection.targetNames ?? [] where !keys.contains(name) {
                        models[index].removeField(name)
                    }
                } else if !connection.usesReferences, target == .swift || first != keys.first {
                    models[index].removeField(first)
                }
            }
        }
    }
}
