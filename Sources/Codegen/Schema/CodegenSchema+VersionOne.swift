import Transformer

// Connections of version 1: `@connection`, with or without the keys that it goes by.

extension CodegenSchema {
    mutating func connectVersionOne() throws(Diagnostic) {
        for index in models.indices {
            for field in models[index].fields {
                guard let connection = try versionOneConnection(of: field, in: models[index]) else { continue }
                if connection.kind == .belongsTo {
                    // The field that holds the key is not seen beside the item that it leads to.
                    if let target = connection.targetName, target != versionOneKey(of: models[index]) {
                        models[index].removeField(target)
                    }
                } else if let other = self.index(of: connection.model), let name = connection.associatedField {
                    models[other].add(CodegenField(name, "ID", isNullable: true))
                }
                setConnection(connection, of: field.name, in: index)
            }
            removeUnconnectedFields(of: index)
        }
    }

    private func versionOneKey(of model: CodegenModel) -> String {
        model.key(named: nil)?.names("fields")?.first ?? "id"
    }

    /// What is at the other end of a connection: a field of the other model, or one that is to be added.
    private struct Partner {
        var field: CodegenField
        var isNew = false
    }

    private func versionOneConnection(
        of field: CodegenField, in model: CodegenModel
    ) throws(Diagnostic) -> FieldConnection? {
        guard let directive = field.directive("connection"), let position = index(of: field.type) else { return nil }
        let other = models[position]
        let partner = try partner(of: field, directive, in: model, other)
        let fields = directive.names("fields") ?? []
        let target = fields.first ?? Self.foreignKey(model.name, field.name)
        let belongsTo = FieldConnection(kind: .belongsTo, model: other.name, targetName: target)
        if field.isList {
            // Clients know no connection of two lists: neither side is generated.
            guard !partner.field.isList else { return nil }
            return FieldConnection(kind: .hasMany, model: other.name, associatedField: partner.field.name)
        }
        if partner.isNew || partner.field.isList {
            guard fields.count <= 1 else {
                throw failure(
                    "\(model.name).\(field.name) names \(fields.count) fields; clients know connections by one.",
                    at: field.place)
            }
            return belongsTo
        }
        if !field.isNullable && partner.field.isNullable { return belongsTo }
        guard !options.isDataStoreEnabled || field.isNullable != partner.field.isNullable else {
            throw failure(
                "DataStore does not support 1 to 1 connection with both sides of connection as optional field: "
                    + "\(model.name).\(field.name).", at: field.place,
                hint: "Make one of \(model.name).\(field.name) and \(other.name).\(partner.field.name) required, the "
                    + "other optional.")
        }
        return FieldConnection(
            kind: .hasOne, model: other.name, associatedField: partner.field.name, targetName: target)
    }

    private func partner(
        of field: CodegenField, _ directive: CodegenDirective, in model: CodegenModel, _ other: CodegenModel
    ) throws(Diagnostic) -> Partner {
        if directive.names("fields") != nil {
            let keyName = directive.text("keyName")
            let key = other.key(named: keyName)
            guard key != nil || keyName == nil else {
                throw failure(
                    "\(model.name).\(field.name) goes by the key \(keyName ?? ""), which \(other.name) does not have.",
                    at: field.place)
            }
            let name = key?.names("fields")?.first ?? "id"
            let back = other.fields.first { $0.directive("connection")?.names("fields")?.first == name }
            guard let partner = back ?? other.field(name) else {
                throw failure(
                    "\(model.name).\(field.name) goes by the field \(name), which \(other.name) does not have.",
                    at: field.place)
            }
            return Partner(field: partner)
        }
        if let name = directive.text("name") {
            let isOwn = model.name == other.name
            let partner = other.fields.first {
                $0.directive("connection")?.text("name") == name && !(isOwn && $0.name == field.name)
            }
            guard let partner else {
                throw failure(
                    "The connection \(name) of \(model.name).\(field.name) has no other end in \(other.name).",
                    at: field.place, hint: "Write @connection(name: \"\(name)\") on a field of \(other.name).")
            }
            return Partner(field: partner)
        }
        let name = Self.foreignKey(model.name, field.name)
        return other.field(name).map { Partner(field: $0) }
            ?? Partner(field: CodegenField(name, "ID", isNullable: true), isNew: true)
    }
}
