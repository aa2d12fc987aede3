import JSON

/// The version of a schema in clients: DataStore empties its local store when it changes.
///
/// It is the MD5 of a JSON text of all models and embedded types in the order of their names, after connections were
/// made. Of the directives only those of keys and relations count.
struct VersionHash {
    let schema: CodegenSchema

    /// 32 hexadecimal digits.
    var text: String { GeneratedFile.digest(of: Array(hashedText.utf8)) }

    /// What is hashed.
    var hashedText: String {
        let types = (schema.models + schema.nonModels).sorted { $0.name < $1.name }
        return JSONValue.array(types.map(json)).description
    }

    private func json(_ type: CodegenModel) -> JSONValue {
        let counted = schema.options.isVersionTwo ? ["primaryKey", "index"] : ["key"]
        return [
            "name": .string(type.name),
            "directives": .array(type.directives.filter { counted.contains($0.name) }.map { json($0) }),
            "fields": .array(type.fields.sorted { $0.name < $1.name }.map { json($0) }),
        ]
    }

    private func json(_ field: CodegenField) -> JSONValue {
        let counted = schema.options.isVersionTwo ? ["hasOne", "belongsTo", "hasMany", "manyToMany"] : ["connection"]
        var object: JSONObject = [
            "name": .string(field.name),
            "directives": .array(field.directives.filter { counted.contains($0.name) }.map { json($0) }),
            "type": .string(field.type), "isNullable": .bool(field.isNullable), "isList": .bool(field.isList),
        ]
        object["isListNullable"] = field.isListNullable.map { .bool($0) }
        return .object(object)
    }

    private func json(_ directive: CodegenDirective) -> JSONValue {
        var object: JSONObject = ["name": .string(directive.name), "arguments": .object(directive.arguments)]
        // Version 1 never has it.
        if schema.options.isVersionTwo { object["fieldName"] = directive.fieldName.map { .string($0) } }
        return .object(object)
    }
}
