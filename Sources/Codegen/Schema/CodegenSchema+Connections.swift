import Transformer

extension CodegenSchema {
    /// Finds what the fields mean that lead to other models, with what that adds to models and removes from them.
    mutating func connect(for target: CodegenTarget) throws(Diagnostic) {
        if options.isVersionTwo {
            declareKeys()
            try addJoinModels(for: target)
            try connectVersionTwo(for: target)
        } else {
            try connectVersionOne()
        }
    }

    /// The name of a generated foreign key: `postCommentsId`.
    static func foreignKey(_ model: String, _ field: String, _ key: String = "id") -> String {
        Names.camelCased([model, field, key])
    }

    /// Sets the connection of a field; what a later step removed has none.
    mutating func setConnection(_ connection: FieldConnection, of field: String, in model: Int) {
        guard let position = models[model].fields.firstIndex(where: { $0.name == field }) else { return }
        models[model].fields[position].connection = connection
    }

    /// Removes the fields of another model's type that no directive connects.
    mutating func removeUnconnectedFields(of model: Int) {
        for field in models[model].fields where isModel(field.type) && field.connection == nil {
            let directive =
                options.isVersionTwo ? field.isList ? "@hasMany" : "@hasOne or @belongsTo" : "@connection"
            warn(
                "\(models[model].name).\(field.name) leads to the model \(field.type) without a relation and is left out.",
                at: field.place, hint: "Write \(directive) on the field to relate the models.")
            models[model].removeField(field.name)
        }
    }
}
