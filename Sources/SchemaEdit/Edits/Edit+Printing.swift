import GraphQL
public import JSON

extension Edit {
    /// The edit as a request of the operators' API has it. Reading it gives an equal edit.
    public var json: JSONValue {
        .object(JSONObject([("kind", .string(kind))] + members))
    }

    /// The name of the edit.
    public var kind: String {
        switch self {
        case .addModel: "addModel"
        case .addEnum: "addEnum"
        case .addCustomType: "addCustomType"
        case .removeType: "removeType"
        case .renameType: "renameType"
        case .setDescription: "setDescription"
        case .addField: "addField"
        case .changeField: "changeField"
        case .renameField: "renameField"
        case .moveField: "moveField"
        case .removeField: "removeField"
        case .addEnumValue: "addEnumValue"
        case .moveEnumValue: "moveEnumValue"
        case .renameEnumValue: "renameEnumValue"
        case .removeEnumValue: "removeEnumValue"
        case .addRelationship: "addRelationship"
        case .removeRelationship: "removeRelationship"
        case .addKey: "addKey"
        case .changeKey: "changeKey"
        case .removeKey: "removeKey"
        case .setRules: "setRules"
        case .setModelArguments: "setModelArguments"
        }
    }

    private var members: [(String, JSONValue)] {
        switch self {
        case .addModel(let type):
            return [("name", .string(type.name)), ("fields", .array(type.fields.map(\.json)))]
                + (type.rules.isEmpty ? [] : [("rules", .array(type.rules.map(\.json)))])
                + optional("description", type.description)
        case .addCustomType(let type):
            return [("name", .string(type.name)), ("fields", .array(type.fields.map(\.json)))]
                + optional("description", type.description)
        case .addEnum(let name, let values, let description):
            return [("name", .string(name)), ("values", .array(values.map { .string($0) }))]
                + optional("description", description)
        case .removeType(let name, let removesReferences):
            return [("type", .string(name)), ("removeReferences", .bool(removesReferences))]
        case .renameType(let name, let new, let keepsData):
            return [("type", .string(name)), ("to", .string(new)), ("keepingData", .bool(keepsData))]
        case .setDescription(let type, let member, let description):
            return [("type", .string(type))] + optional("member", member)
                + [("description", description.map { .string($0) } ?? .null)]
        case .addField(let type, let field, let position):
            return [("type", .string(type)), ("field", field.json)] + after(position)
        case .changeField(let type, let field, let change):
            return [("type", .string(type)), ("field", .string(field)), ("change", change.json)]
        case .renameField(let type, let field, let new, let keepsData):
            return [
                ("type", .string(type)), ("field", .string(field)), ("to", .string(new)),
                ("keepingData", .bool(keepsData)),
            ]
        case .moveField(let type, let field, let position):
            return [("type", .string(type)), ("field", .string(field))] + after(position)
        case .removeField(let type, let field): return [("type", .string(type)), ("field", .string(field))]
        case .addEnumValue(let type, let value, let position, let description):
            return [("type", .string(type)), ("value", .string(value))] + after(position)
                + optional("description", description)
        case .moveEnumValue(let type, let value, let position):
            return [("type", .string(type)), ("value", .string(value))] + after(position)
        case .renameEnumValue(let type, let value, let new):
            return [("type", .string(type)), ("value", .string(value)), ("to", .string(new))]
        case .removeEnumValue(let type, let value): return [("type", .string(type)), ("value", .string(value))]
        case .addRelationship(let relationship): return relationship.members
        case .removeRelationship(let type, let field, let removesReverse, let removesKey):
            return [
                ("type", .string(type)), ("field", .string(field)), ("removeReverse", .bool(removesReverse)),
                ("removeKey", .bool(removesKey)),
            ]
        case .addKey(let type, let key): return [("type", .string(type)), ("key", key.json)]
        case .changeKey(let type, let name, let key):
            return [("type", .string(type)), ("name", name.map { .string($0) } ?? .null), ("key", key.json)]
        case .removeKey(let type, let name):
            return [("type", .string(type)), ("name", name.map { .string($0) } ?? .null)]
        case .setRules(let type, let field, let rules):
            return [("type", .string(type))] + optional("field", field) + [("rules", .array(rules.map(\.json)))]
        case .setModelArguments(let type, let arguments):
            let object = JSONObject(arguments.map { ($0.name, $0.value.json) })
            return [("type", .string(type)), ("arguments", .object(object))]
        }
    }
}

private func optional(_ key: String, _ text: String?) -> [(String, JSONValue)] {
    text.map { [(key, .string($0))] } ?? []
}

private func after(_ position: Edit.Position?) -> [(String, JSONValue)] {
    switch position {
    case nil, .last: []
    case .first: [("after", .null)]
    case .after(let name): [("after", .string(name))]
    }
}

extension Edit.Field {
    fileprivate var json: JSONValue {
        .object(
            JSONObject(
                [
                    ("name", .string(name)), ("type", .string(type)), ("required", .bool(isRequired)),
                    ("list", .bool(isList)),
                ] + (isElementRequired ? [("elementRequired", .bool(true))] : [])
                    + optional("default", defaultValue) + optional("description", description)))
    }
}

extension Edit.FieldChange {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        if let type { object["type"] = .string(type) }
        if let isRequired { object["required"] = .bool(isRequired) }
        if let isList { object["list"] = .bool(isList) }
        if let isElementRequired { object["elementRequired"] = .bool(isElementRequired) }
        switch defaultValue {
        case .set(let text): object["default"] = .string(text)
        case .remove: object["default"] = .null
        case nil: break
        }
        return .object(object)
    }
}

extension Edit.Key {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["fields": .array(fields.map { .string($0) })]
        if let name { object["name"] = .string(name) }
        switch queryField {
        case .standard: break
        case .none: object["queryField"] = .null
        case .named(let name): object["queryField"] = .string(name)
        }
        return .object(object)
    }
}

extension Edit.Relationship {
    fileprivate var members: [(String, JSONValue)] {
        let counts: [(String, JSONValue)] = [
            ("type", .string(type)), ("has", .string(has.rawValue)), ("target", .string(target)),
            ("field", .string(field)), ("reverse", .string(reverse.rawValue)), ("required", .bool(isRequired)),
            ("keyRequired", .bool(isKeyRequired)),
        ]
        return counts + optional("reverseField", reverseField) + optional("keyField", keyField)
            + optional("index", index) + optional("name", name)
            + (rules.map { [("rules", .array($0.map(\.json)))] } ?? []) + after(position)
    }
}

extension ConstValue {
    /// The value as JSON, where a name of GraphQL is a string.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .int(let text), .float(let text): .number(text)
        case .string(let text), .enumValue(let text): .string(text)
        case .boolean(let value): .bool(value)
        case .list(let elements): .array(elements.map(\.json))
        case .object(let fields): .object(JSONObject(fields.map { ($0.name, $0.value.json) }))
        }
    }
}
