import GraphQL
public import JSON

extension Edit {
    /// Reads an edit from the JSON of a request of the operators' API. An unknown kind and an unknown member are refused.
    public init(json: JSONValue, limits: SchemaEditLimits = .standard) throws(EditRefusal) {
        var reader = try EditReader(json, "edit", limits: limits)
        guard let kind = try reader.required("kind").stringValue else {
            throw EditRefusal(.invalid, "'kind' of 'edit' is not a string.")
        }
        guard Edit.kinds.contains(kind) else {
            throw EditRefusal(
                .invalid, "There is no edit '\(kind.prefix(limits.nameBytesMax))'.",
                hint: "The edits are \(Edit.kinds.joined(separator: ", ")).")
        }
        var named = try EditReader(json, kind, limits: limits)
        _ = named.value("kind")
        self = try Edit.read(kind, &named)
        try named.finish()
    }

    /// The kinds of edits.
    public static let kinds = [
        "addModel", "addEnum", "addCustomType", "removeType", "renameType", "setDescription", "addField", "changeField",
        "renameField", "moveField", "removeField", "addEnumValue", "moveEnumValue", "renameEnumValue",
        "removeEnumValue", "addRelationship", "removeRelationship", "addKey", "changeKey", "removeKey", "setRules",
        "setModelArguments",
    ]

    private static func read(_ kind: String, _ reader: inout EditReader) throws(EditRefusal) -> Edit {
        switch kind {
        case "addModel": .addModel(try object(&reader, isModel: true))
        case "addCustomType": .addCustomType(try object(&reader, isModel: false))
        case "addEnum":
            .addEnum(
                name: try reader.name("name"), values: try reader.names("values"),
                description: try reader.optionalText("description"))
        case "removeType":
            .removeType(
                name: try reader.name("type"), removingReferences: try reader.flag("removeReferences", default: false))
        case "renameType":
            .renameType(
                name: try reader.name("type"), to: try reader.name("to"),
                keepingData: try reader.flag("keepingData", default: true))
        case "addEnumValue":
            .addEnumValue(
                type: try reader.name("type"), value: try reader.name("value"),
                position: try reader.position() ?? .last, description: try reader.optionalText("description"))
        case "moveEnumValue":
            .moveEnumValue(
                type: try reader.name("type"), value: try reader.name("value"),
                position: try reader.position() ?? .last)
        case "renameEnumValue":
            .renameEnumValue(
                type: try reader.name("type"), value: try reader.name("value"), to: try reader.name("to"))
        case "removeEnumValue":
            .removeEnumValue(type: try reader.name("type"), value: try reader.name("value"))
        case "addKey": .addKey(type: try reader.name("type"), key: try key(&reader))
        case "changeKey":
            .changeKey(
                type: try reader.name("type"), name: try keyName(&reader), key: try key(&reader))
        case "removeKey": .removeKey(type: try reader.name("type"), name: try keyName(&reader))
        case "addRelationship": .addRelationship(try relationship(&reader))
        case "removeRelationship":
            .removeRelationship(
                type: try reader.name("type"), field: try reader.name("field"),
                removingReverse: try reader.flag("removeReverse", default: false),
                removingKey: try reader.flag("removeKey", default: false))
        case "setRules":
            .setRules(
                type: try reader.name("type"), field: try reader.optionalName("field"), rules: try rules(&reader))
        case "setModelArguments":
            .setModelArguments(type: try reader.name("type"), arguments: try modelArguments(&reader))
        default: try readFieldEdit(kind, &reader)
        }
    }

    private static func readFieldEdit(_ kind: String, _ reader: inout EditReader) throws(EditRefusal) -> Edit {
        let type = try reader.name("type")
        switch kind {
        case "addField":
            let field = try field(try reader.required("field"), reader.limits)
            return .addField(type: type, field: field, position: try reader.position() ?? .last)
        case "changeField":
            return .changeField(type: type, field: try reader.name("field"), change: try change(&reader))
        case "renameField":
            return .renameField(
                type: type, field: try reader.name("field"), to: try reader.name("to"),
                keepingData: try reader.flag("keepingData", default: true))
        case "moveField":
            let field = try reader.name("field")
            return .moveField(type: type, field: field, position: try reader.position() ?? .last)
        case "removeField": return .removeField(type: type, field: try reader.name("field"))
        case "setDescription":
            let member = try reader.optionalName("member")
            guard reader.has("description") else {
                throw EditRefusal(
                    .invalid, "'setDescription' lacks the member 'description'.", hint: "Null removes a description.")
            }
            return .setDescription(type: type, member: member, description: try reader.optionalText("description"))
        default: preconditionFailure("Each of `kinds` is read.")
        }
    }

    // MARK: - Parts

    private static func object(_ reader: inout EditReader, isModel: Bool) throws(EditRefusal) -> Object {
        let name = try reader.name("name")
        var fields: [Field] = []
        if let value = reader.value("fields") {
            for element in try reader.elements(value, "fields") { fields.append(try field(element, reader.limits)) }
        }
        let rules = isModel && reader.has("rules") ? try rules(&reader) : []
        return Object(name: name, fields: fields, rules: rules, description: try reader.optionalText("description"))
    }

    private static func field(_ value: JSONValue, _ limits: SchemaEditLimits) throws(EditRefusal) -> Field {
        var reader = try EditReader(value, "field", limits: limits)
        let field = Field(
            name: try reader.name("name"), type: try reader.name("type"),
            isRequired: try reader.flag("required", default: false), isList: try reader.flag("list", default: false),
            isElementRequired: try reader.flag("elementRequired", default: false),
            defaultValue: try reader.optionalText("default"), description: try reader.optionalText("description"))
        try reader.finish()
        guard field.isList || !field.isElementRequired else {
            throw EditRefusal(.invalid, "'elementRequired' of 'field' is for lists.")
        }
        return field
    }

    private static func change(_ outer: inout EditReader) throws(EditRefusal) -> FieldChange {
        var reader = try EditReader(try outer.required("change"), "change", limits: outer.limits)
        var change = FieldChange(
            type: try reader.optionalName("type"), isRequired: try reader.optionalFlag("required"),
            isList: try reader.optionalFlag("list"), isElementRequired: try reader.optionalFlag("elementRequired"))
        if reader.has("default") {
            change.defaultValue = try reader.optionalText("default").map { .set($0) } ?? .remove
        }
        try reader.finish()
        return change
    }

    private static func key(_ outer: inout EditReader) throws(EditRefusal) -> Key {
        var reader = try EditReader(try outer.required("key"), "key", limits: outer.limits)
        var key = Key(name: try keyName(&reader), fields: try reader.names("fields"))
        if let value = reader.value("queryField") {
            key.queryField = value.isNull ? .none : .named(try reader.name("queryField"))
        }
        try reader.finish()
        return key
    }

    /// The name of an index, which Amplify allows more characters than a name of GraphQL has.
    private static func keyName(
        _ reader: inout EditReader, member: String = "name"
    ) throws(EditRefusal) -> String? {
        guard let name = try reader.optionalText(member) else { return nil }
        let isValid = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "_-.".utf8.contains(byte)
        }
        guard isValid, !name.isEmpty, name.utf8.count <= reader.limits.nameBytesMax else {
            throw EditRefusal(
                .invalid, "'\(member)' of '\(reader.subject)' is not the name of an index.",
                hint: "It has letters, digits, underscores, hyphens and dots.")
        }
        return name
    }

    private static func relationship(_ reader: inout EditReader) throws(EditRefusal) -> Relationship {
        var relationship = Relationship(
            type: try reader.name("type"), has: try reader.word("has"), target: try reader.name("target"),
            field: try reader.name("field"), reverse: try reader.word("reverse", default: Relationship.Count.none),
            reverseField: try reader.optionalName("reverseField"),
            isRequired: try reader.flag("required", default: false), keyField: try reader.optionalName("keyField"),
            isKeyRequired: try reader.flag("keyRequired", default: true), name: try reader.optionalName("name"),
            position: try reader.position())
        relationship.index = try keyName(&reader, member: "index")
        if reader.has("rules") { relationship.rules = try rules(&reader) }
        return relationship
    }

    // MARK: - Values of directives

    /// The fields of a rule whose values are names of GraphQL and not strings.
    private static let ruleEnums: Set = ["allow", "provider", "operations", "queries", "mutations"]

    /// The fields of a rule.
    static let ruleFields: Set = [
        "allow", "provider", "identityField", "identityClaim", "groupClaim", "ownerField", "groupsField", "groups",
        "operations", "queries", "mutations",
    ]

    private static func rules(_ reader: inout EditReader) throws(EditRefusal) -> [ConstValue] {
        var rules: [ConstValue] = []
        for element in try reader.elements(try reader.required("rules"), "rules") {
            var rule = try EditReader(element, "rule", limits: reader.limits)
            _ = try rule.name("allow")
            var fields: [ConstObjectField] = []
            for (key, value) in rule.object where ruleFields.contains(key) {
                _ = rule.value(key)
                let value = try constant(value, isEnum: ruleEnums.contains(key), key, reader.limits)
                fields.append(ConstObjectField(name: key, value: value))
            }
            try rule.finish()
            rules.append(.object(fields))
        }
        return rules
    }

    /// The keys of each argument of `@model`.
    static let modelArgumentKeys: [String: [String]] = [
        "queries": ["get", "list"], "mutations": ["create", "update", "delete"],
        "subscriptions": ["onCreate", "onUpdate", "onDelete", "level"], "timestamps": ["createdAt", "updatedAt"],
    ]

    private static func modelArguments(_ outer: inout EditReader) throws(EditRefusal) -> [ModelArgument] {
        var reader = try EditReader(try outer.required("arguments"), "arguments", limits: outer.limits)
        var arguments: [ModelArgument] = []
        for (name, value) in reader.object {
            guard let keys = modelArgumentKeys[name] else { continue }
            guard !value.isNull else {
                arguments.append(ModelArgument(name: name, value: .null))
                continue
            }
            let map = try EditReader(value, name, limits: outer.limits)
            var fields: [ConstObjectField] = []
            for (key, value) in map.object {
                guard keys.contains(key) else {
                    throw EditRefusal(
                        .invalid, "'\(name)' has no member '\(key.prefix(outer.limits.nameBytesMax))'.",
                        hint: "Its members are \(keys.joined(separator: ", ")).")
                }
                fields.append(
                    ConstObjectField(
                        name: key, value: try constant(value, isEnum: key == "level", key, outer.limits)))
            }
            arguments.append(ModelArgument(name: name, value: .object(fields)))
        }
        for name in ModelArgument.names { _ = reader.value(name) }
        try reader.finish()
        return arguments
    }

    /// Strings, names of GraphQL, lists of them, and null.
    private static func constant(
        _ value: JSONValue, isEnum: Bool, _ key: String, _ limits: SchemaEditLimits
    ) throws(EditRefusal) -> ConstValue {
        switch value {
        case .null: return .null
        case .string(let text):
            guard text.utf8.count <= limits.valueBytesMax else {
                throw EditRefusal(.limit, "'\(key)' has more than \(limits.valueBytesMax) bytes.")
            }
            guard isEnum else { return .string(text) }
            guard text.isName else { throw EditRefusal(.invalid, "'\(key)' is not a name.") }
            return .enumValue(text)
        case .array(let elements):
            guard elements.count <= limits.membersMax else {
                throw EditRefusal(.limit, "'\(key)' has more than \(limits.membersMax) elements.")
            }
            var list: [ConstValue] = []
            for element in elements {
                guard element.stringValue != nil else {
                    throw EditRefusal(.invalid, "'\(key)' is not a list of strings.")
                }
                list.append(try constant(element, isEnum: isEnum, key, limits))
            }
            return .list(list)
        case .bool, .number, .object: throw EditRefusal(.invalid, "'\(key)' is not a string or a list of strings.")
        }
    }
}
