import JSON

/// A model introspection as a schema of version 2 of the transformer.
///
/// An introspection does not have everything of the schema it was made of: rules of fields, defaults, validation, and what
/// answers custom root fields. The latter are left out of the schema and listed.
struct IntrospectedSchema {
    let models: [Model]
    let root: JSONValue
    /// The custom root fields, as `Type.field`.
    private(set) var customFields: [String] = []

    /// A model, or an embedded type.
    struct Model {
        let name: String
        let fields: [Field]
        let attributes: [(type: String, properties: JSONObject)]
        /// The fields of the primary key.
        let primaryKey: [String]
        /// Foreign keys that the transformer generates again: they stand after the timestamps.
        let generated: Set<String>
        /// The models that it joins, where it is the join of a many-to-many relation.
        var joined: [String] = []

        func field(_ name: String) -> Field? { fields.first { $0.name == name } }

        /// Whether a foreign key stands in the schema.
        func declares(_ keys: [String]) -> Bool {
            !keys.isEmpty && keys.allSatisfy { field($0) != nil && !generated.contains($0) }
        }
    }

    /// A field of a model or an embedded type.
    struct Field {
        let name: String
        let value: JSONValue
        var type: String
        var isList: Bool
        var isRequired: Bool
        var isListRequired: Bool
        var isReadOnly: Bool
        /// The model that it leads to.
        var model: String?
        var connection: String?
        var associatedWith: [String]
        var targetNames: [String]

        init?(_ name: String, _ value: JSONValue) {
            guard IntrospectedSchema.isName(name) else { return nil }
            (self.name, self.value) = (name, value)
            let named = ["model", "nonModel", "enum", "input"].lazy.compactMap { value["type"]?[$0]?.stringValue }.first
            guard let type = value["type"]?.stringValue ?? named, IntrospectedSchema.isName(type) else { return nil }
            self.type = type
            model = value["type"]?["model"]?.stringValue
            isList = value["isArray"]?.boolValue ?? false
            isRequired = value["isRequired"]?.boolValue ?? false
            isListRequired = value["isArrayNullable"]?.boolValue == false
            isReadOnly = value["isReadOnly"]?.boolValue ?? false
            let association = value["association"]
            connection = association?["connectionType"]?.stringValue
            func names(_ key: String) -> [String] {
                let value = association?[key]
                return (value?.arrayValue ?? [value ?? .null]).compactMap(\.stringValue)
            }
            (associatedWith, targetNames) = (names("associatedWith"), names("targetNames"))
        }

        /// The type as it is written: of a list `isRequired` is about the elements.
        var text: String {
            let inner = type + (isRequired ? "!" : "")
            return isList ? "[\(inner)]\(isListRequired ? "!" : "")" : inner
        }
    }

    /// Whether a text is a name (GraphQL spec §2.1.9), so that nothing else of a file becomes a part of the schema.
    static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[_A-Za-z][_0-9A-Za-z]*/) != nil }

    init(_ root: JSONValue) {
        self.root = root
        var models = (root["models"]?.objectValue ?? [:]).compactMap { Self.model($0.key, $0.value) }
        for index in models.indices { models[index].joined = Self.joined(models[index], models) }
        self.models = models
        for (key, type) in [("queries", "Query"), ("mutations", "Mutation"), ("subscriptions", "Subscription")] {
            customFields += (root[key]?.objectValue ?? [:]).map { "\(type).\($0.key)" }
        }
    }

    private static func model(_ name: String, _ value: JSONValue) -> Model? {
        guard isName(name) else { return nil }
        let fields = (value["fields"]?.objectValue ?? [:]).compactMap { Field($0.key, $0.value) }
        let attributes = (value["attributes"]?.arrayValue ?? []).map {
            attribute -> (type: String, properties: JSONObject) in
            (attribute["type"]?.stringValue ?? "", attribute["properties"]?.objectValue ?? [:])
        }
        let info = value["primaryKeyInfo"]
        var key =
            attributes.first { $0.type == "key" && $0.properties["name"]?.stringValue == nil }?.properties["fields"]?
            .texts ?? []
        if key.isEmpty {
            key = [info?["primaryKeyFieldName"]?.stringValue ?? "id"] + (info?["sortKeyFieldNames"]?.texts ?? [])
        }
        let afterTimestamps = fields.drop { !$0.isReadOnly }
        let generated = Set(afterTimestamps.filter { !$0.isReadOnly && $0.connection == nil }.map(\.name))
        return Model(name: name, fields: fields, attributes: attributes, primaryKey: key, generated: generated)
    }

    /// The two models that a join model leads to: it has an id, two keys, two required relations and an index of each key,
    /// and both models have a list of it.
    private static func joined(_ model: Model, _ models: [Model]) -> [String] {
        let relations = model.fields.filter { $0.connection == "BELONGS_TO" && $0.isRequired && !$0.isReadOnly }
        let keys = Set(relations.flatMap(\.targetNames))
        let rest = model.fields.filter { $0.connection == nil && !$0.isReadOnly && !keys.contains($0.name) }
        let indexes = model.attributes.filter { $0.type == "key" && $0.properties["name"]?.stringValue != nil }
        guard relations.count == 2, rest.map(\.name) == ["id"], indexes.count == 2,
            indexes.allSatisfy({ ($0.properties["name"]?.stringValue ?? "").hasPrefix("by") }),
            model.primaryKey == ["id"]
        else { return [] }
        let ends = relations.compactMap(\.model)
        let areReached = ends.allSatisfy { end in
            models.first { $0.name == end }?.fields.contains { $0.connection == "HAS_MANY" && $0.model == model.name }
                ?? false
        }
        return areReached ? ends : []
    }

    func model(_ name: String?) -> Model? { models.first { $0.name == name } }

    // MARK: Printing

    /// The schema.
    var text: String {
        var parts = models.filter(\.joined.isEmpty).map(definition)
        for (name, value) in root["nonModels"]?.objectValue ?? [:] where Self.isName(name) {
            let fields = (value["fields"]?.objectValue ?? [:]).compactMap { Field($0.key, $0.value) }
            parts.append("type \(name) {\n\(fields.map { "  \($0.name): \($0.text)\n" }.joined())}")
        }
        for (name, value) in root["enums"]?.objectValue ?? [:] where Self.isName(name) {
            let values = (value["values"]?.texts ?? []).filter(Self.isName)
            parts.append("enum \(name) {\n\(values.map { "  \($0)\n" }.joined())}")
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func definition(_ model: Model) -> String {
        var lines: [String] = []
        for field in model.fields where !field.isReadOnly && !model.generated.contains(field.name) {
            let directives = keyDirectives(field, model) + [relation(field, model)].compactMap(\.self)
            lines.append("  " + (["\(field.name): \(type(field))"] + directives).joined(separator: " ") + "\n")
        }
        return "type \(model.name) \(modelDirective(model))\(authorization(model)) {\n\(lines.joined())}"
    }

    /// The type of a field; the list of a join model is one of the other end.
    private func type(_ field: Field) -> String {
        guard let join = model(field.model), let other = otherEnd(of: join, field) else { return field.text }
        var field = field
        field.type = other
        return field.text
    }

    private func modelDirective(_ model: Model) -> String {
        var arguments = model.attributes.first { $0.type == "model" }?.properties ?? [:]
        let timestamps = model.fields.filter { $0.isReadOnly && $0.type == "AWSDateTime" }.map(\.name)
        if arguments["timestamps"] == nil, timestamps.count == 2, timestamps != ["createdAt", "updatedAt"] {
            arguments["timestamps"] = ["createdAt": .string(timestamps[0]), "updatedAt": .string(timestamps[1])]
        }
        return "@model\(Self.arguments(arguments))"
    }

    private func keyDirectives(_ field: Field, _ model: Model) -> [String] {
        var directives: [String] = []
        for (type, properties) in model.attributes where type == "key" {
            let fields = properties["fields"]?.texts ?? []
            guard fields.first == field.name else { continue }
            var arguments = JSONObject()
            let name = properties["name"]?.stringValue
            if let name { arguments["name"] = .string(name) }
            if fields.count > 1 { arguments["sortKeyFields"] = .array(fields.dropFirst().map(JSONValue.string)) }
            if let query = properties["queryField"] { arguments["queryField"] = name == nil ? nil : query }
            directives.append("@\(name == nil ? "primaryKey" : "index")\(Self.arguments(arguments))")
        }
        return directives
    }

    /// Arguments of a directive as they are written.
    static func arguments(_ arguments: JSONObject) -> String {
        let parts = arguments.filter { isName($0.key) }.map { "\($0.key): \(literal($0.value))" }
        return parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))"
    }

    /// A value of GraphQL; a text is written in quotes.
    static func literal(_ value: JSONValue) -> String {
        if let object = value.objectValue {
            let members = object.filter { isName($0.key) }.map { key, value in
                // The level of subscriptions is a value of an enum.
                let level = key == "level" ? value.stringValue.flatMap { isName($0) ? $0 : nil } : nil
                return "\(key): \(level ?? literal(value))"
            }
            return "{\(members.joined(separator: ", "))}"
        }
        if let elements = value.arrayValue { return "[\(elements.map(literal).joined(separator: ", "))]" }
        return value.description
    }
}

extension JSONValue {
    /// The texts of a list.
    fileprivate var texts: [String] { (arrayValue ?? []).compactMap(\.stringValue) }
}
