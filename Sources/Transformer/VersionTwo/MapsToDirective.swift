import GraphQL
import Tables

// @mapsTo and @refersTo: a type or field has another name than what it is stored in, so that it may be renamed and its
// data stays (reference: transformer, "@default, @mapsTo and @refersTo").

extension TransformContext {
    mutating func applyMappings() {
        for case .object(let type) in declared.types {
            for name in storedNames(of: type.name) { mapTable(of: type, to: name) }
            for (field, declaration) in zip(type.fields, fieldDeclarations(of: type.name)) {
                if let name = declaration.storedName { mapColumn(of: field, in: type, to: name) }
            }
        }
        mapJoinModels()
        refuseSharedPlaces()
    }

    private mutating func mapTable(of type: ObjectTypeDefinition, to storedName: StoredNameDeclaration) {
        let name = storedName.name
        var fault: Fault?
        if !type.isModel {
            fault = ("@\(storedName.directive) can only be used on an @model type", "Add @model to type \(type.name).")
        } else if storedNames(of: type.name).count > 1 {
            fault = ("\(type.name) is mapped twice.", "Leave one of @mapsTo and @refersTo.")
        } else if name != type.name, declared.object(named: name)?.isModel == true {
            fault = (
                "Type \(type.name) cannot map to \(name) because \(name) is a model in the schema.",
                "Name a table that no other model has."
            )
        } else if !name.isIndexName {
            fault = ("'\(name)' cannot be the name of a table.", "Use letters, digits and underscores.")
        }
        if let fault {
            report([fault], at: storedName.place.place)
        } else if let model = modelIndex(type.name) {
            models[model].tableName = name
        }
    }

    private mutating func mapColumn(
        of field: FieldDefinition, in type: ObjectTypeDefinition, to storedName: StoredNameDeclaration
    ) {
        let name = storedName.name
        guard let model = modelIndex(type.name) else {
            if !type.isModel {
                report([("@refersTo can only be used on fields of an @model type", nil)], at: storedName.place.place)
            }
            return
        }
        if columnType(of: field.type, in: models[model]) == nil {
            report(
                [("\(type.name).\(field.name) is not stored and refers to nothing.", nil)], at: storedName.place.place)
        } else if !name.isIndexName {
            report(
                [("'\(name)' cannot be the name of an attribute.", "Use letters, digits and underscores.")],
                at: storedName.place.place)
        } else if isTaken(name, besides: field, in: models[model]) {
            report(
                [("\(type.name) keeps another field in '\(name)'.", "Name an attribute of its own.")],
                at: storedName.place.place)
        } else {
            models[model].attributes[field.name] = name
        }
    }

    /// Whether another field of the model is kept under this name, or will be.
    private func isTaken(_ name: String, besides field: FieldDefinition, in model: ModelDraft) -> Bool {
        columns(of: model).contains { $0.field != field.name && $0.name == name }
            || model.declaration.fields.contains { $0.name != field.name && $0.storedName?.name == name }
    }

    /// Two models never share a table, nor two fields of one a column.
    private mutating func refuseSharedPlaces() {
        var owners: [String: String] = [:]
        for model in models {
            let table = model.tableName ?? model.name
            if let owner = owners[table] {
                report(
                    [("\(owner) and \(model.name) are both kept in the table '\(table)'.", nil)],
                    at: model.declaration.storedNames.first?.place.place ?? model.declared.place)
            }
            owners[table] = model.name
            // A generated foreign key may be stored under a name that the author gave another field. Other columns are called as
            // their fields.
            guard !model.attributes.isEmpty || !model.foreignKeys.isEmpty else { continue }
            var fields: [String: String] = [:]
            for column in columns(of: model) {
                if let field = fields[column.name] {
                    report(
                        [("\(model.name) keeps both \(field) and \(column.field) in '\(column.name)'.", nil)],
                        at: model.declared.place)
                }
                fields[column.name] = column.field
            }
        }
    }
}
