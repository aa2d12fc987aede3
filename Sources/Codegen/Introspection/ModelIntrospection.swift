import JSON
import Transformer

/// The model introspection of amplify-js and Amplify Gen 2: models, enums and embedded types, with the operations and
/// input types that the schema declares, as JSON.
struct ModelIntrospection {
    let schema: CodegenSchema
    /// Whether a relation names the fields of its key as lists, or the first one alone.
    let usesKeyLists: Bool

    init(_ schema: CodegenSchema, usesKeyLists: Bool = true) {
        (self.schema, self.usesKeyLists) = (schema, usesKeyLists)
    }

    /// The JSON text, indented by four spaces.
    var text: String {
        get throws(Diagnostic) { IndentedJSON.text(of: .object(try object)) }
    }

    /// The models, enums and embedded types. The keys of models are in `extended` ones only.
    func types(isExtended: Bool) throws(Diagnostic) -> JSONObject {
        var object: JSONObject = ["models": [:], "enums": [:], "nonModels": [:]]
        var models = JSONObject()
        for model in schema.models {
            var members = try json(model)
            if isExtended { members["primaryKeyInfo"] = .object(key(of: model)) }
            models[model.name] = .object(members)
        }
        object["models"] = .object(models)
        var enums = JSONObject()
        for enumeration in schema.enums {
            let name = CaseStyle.pascal(enumeration.name)
            enums[name] = ["name": .string(name), "values": .array(Self.values(of: enumeration))]
        }
        object["enums"] = .object(enums)
        var nonModels = JSONObject()
        for type in schema.nonModels {
            nonModels[type.name] = ["name": .string(type.name), "fields": .object(try fields(of: type))]
        }
        object["nonModels"] = .object(nonModels)
        return object
    }

    private var object: JSONObject {
        get throws(Diagnostic) {
            var object: JSONObject = ["version": 1]
            for (name, types) in try types(isExtended: true) { object[name] = types }
            for (name, fields) in [
                ("queries", schema.queries), ("mutations", schema.mutations), ("subscriptions", schema.subscriptions),
            ] {
                var operations = JSONObject()
                for field in fields where !isAbstract(field.type) {
                    operations[field.name] = .object(try operation(field))
                }
                if !operations.isEmpty { object[name] = .object(operations) }
            }
            var inputs = JSONObject()
            for input in schema.inputs {
                inputs[input.name] = ["name": .string(input.name), "attributes": .object(try arguments(input.fields))]
            }
            if !inputs.isEmpty { object["inputs"] = .object(inputs) }
            return object
        }
    }

    /// The values by their names in capitals. If several values get the same name, the last one wins and keeps the first
    /// one's position.
    private static func values(of enumeration: CodegenEnum) -> [JSONValue] {
        var values = JSONObject()
        for value in enumeration.values { values[CaseStyle.constant(value)] = .string(value) }
        return values.map(\.value)
    }

    private func json(_ model: CodegenModel) throws(Diagnostic) -> JSONObject {
        [
            "name": .string(model.name), "fields": .object(try fields(of: model)), "syncable": true,
            "pluralName": .string(Pluralize.plural(model.name)),
            "attributes": .array(
                model.directives.map { ["type": .string($0.name), "properties": .object($0.arguments)] }),
        ]
    }

    private func key(of model: CodegenModel) -> JSONObject {
        let key = model.primaryKey ?? .init(kind: .managed, field: "id", sortKeyFields: [])
        return [
            "isCustomPrimaryKey": .bool(key.kind == .custom), "primaryKeyFieldName": .string(key.field),
            "sortKeyFieldNames": .array(key.sortKeyFields.map(JSONValue.string)),
        ]
    }

    private func fields(of type: CodegenModel) throws(Diagnostic) -> JSONObject {
        var fields = JSONObject()
        for field in type.fields where !isAbstract(field.type) {
            var object = try value(field)
            object["attributes"] = []
            object["isArrayNullable"] = field.isListNullable.map { .bool($0) }
            if field.isReadOnly { object["isReadOnly"] = true }
            object["association"] = field.connection.map { .object(association($0)) }
            fields[field.name] = .object(object)
        }
        return fields
    }

    private func association(_ connection: FieldConnection) -> JSONObject {
        var object: JSONObject = ["connectionType": .string(connection.kind.rawValue)]
        guard usesKeyLists else {
            if connection.kind != .belongsTo {
                object["associatedWith"] = (connection.associatedField ?? connection.associatedFields.first)
                    .map(JSONValue.string)
            }
            if connection.kind != .hasMany { object["targetName"] = connection.targetName.map(JSONValue.string) }
            return object
        }
        if connection.kind != .belongsTo {
            object["associatedWith"] = .array(connection.associatedFields.map(JSONValue.string))
        }
        if connection.kind != .hasMany {
            object["targetNames"] = .array((connection.targetNames ?? []).map(JSONValue.string))
        }
        return object
    }

    /// An operation with its arguments; or an argument or a field of an input type, which has none.
    private func operation(_ field: CodegenField) throws(Diagnostic) -> JSONObject {
        var object = try value(field)
        object["isArrayNullable"] = field.isListNullable.map { .bool($0) }
        if !field.arguments.isEmpty { object["arguments"] = .object(try arguments(field.arguments)) }
        return object
    }

    private func arguments(_ fields: [CodegenField]) throws(Diagnostic) -> JSONObject {
        var arguments = JSONObject()
        for field in fields { arguments[field.name] = .object(try operation(field)) }
        return arguments
    }

    private func value(_ field: CodegenField) throws(Diagnostic) -> JSONObject {
        [
            "name": .string(field.name), "isArray": .bool(field.isList), "type": try type(of: field),
            "isRequired": .bool(!field.isNullable),
        ]
    }

    /// Clients do not read fields of unions and interfaces.
    private func isAbstract(_ type: String) -> Bool { schema.unions.contains(type) || schema.interfaces.contains(type) }

    private func type(of field: CodegenField) throws(Diagnostic) -> JSONValue {
        let name = field.type
        if CodegenScalar.all[name] != nil { return .string(name) }
        if schema.enumeration(name) != nil { return ["enum": .string(CaseStyle.pascal(name))] }
        if schema.isNonModel(name) { return ["nonModel": .string(name)] }
        if schema.isModel(name) { return ["model": .string(name)] }
        if schema.inputs.contains(where: { $0.name == name }) { return ["input": .string(name)] }
        throw schema.failure("Unknown type \(name) for field \(field.name).", at: field.place)
    }
}
