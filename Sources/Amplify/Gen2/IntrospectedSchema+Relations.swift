import JSON

extension IntrospectedSchema {
    /// The directive of a field that leads to another model; nil for any other field.
    func relation(_ field: Field, _ model: Model) -> String? {
        guard let target = self.model(field.model) else { return nil }
        switch field.connection {
        case "HAS_MANY":
            if otherEnd(of: target, field) != nil {
                return "@manyToMany\(Self.arguments(["relationName": .string(target.name)]))"
            }
            return hasMany(field, model, target)
        case "HAS_ONE":
            guard field.targetNames.isEmpty || model.declares(field.targetNames) else { return "@hasOne" }
            guard field.targetNames.isEmpty else { return directive("hasOne", "fields", field.targetNames) }
            return directive("hasOne", "references", foreignKey(field, target))
        case "BELONGS_TO":
            guard model.declares(field.targetNames) else { return "@belongsTo" }
            let isReferenced =
                !field.isRequired && target.fields.contains { leads($0, of: target, by: field.targetNames, to: model) }
            return directive("belongsTo", isReferenced ? "references" : "fields", field.targetNames)
        default: return nil
        }
    }

    private func hasMany(_ field: Field, _ model: Model, _ target: Model) -> String {
        let keys = foreignKey(field, target)
        guard target.declares(keys) else { return "@hasMany" }
        let belongsTo = target.fields.first {
            $0.connection == "BELONGS_TO" && $0.model == model.name && $0.targetNames == keys
        }
        if let belongsTo, !belongsTo.isRequired { return directive("hasMany", "references", keys) }
        let index = target.attributes.first { type, properties in
            let fields = (properties["fields"]?.arrayValue ?? []).compactMap(\.stringValue)
            return type == "key" && properties["name"]?.stringValue != nil && fields.starts(with: keys)
        }
        guard let name = index?.properties["name"]?.stringValue else { return directive("hasMany", "references", keys) }
        return "@hasMany"
            + Self.arguments([
                "indexName": .string(name), "fields": .array(model.primaryKey.prefix(keys.count).map(JSONValue.string)),
            ])
    }

    /// Whether a field of one model leads to another one by a foreign key of that.
    private func leads(_ field: Field, of model: Model, by keys: [String], to target: Model) -> Bool {
        guard field.model == target.name else { return false }
        switch field.connection {
        case "HAS_MANY": return foreignKey(field, target) == keys
        case "HAS_ONE": return field.targetNames.isEmpty && foreignKey(field, target) == keys
        default: return false
        }
    }

    /// The foreign key on the other model: its fields are named, or the relation that has them.
    private func foreignKey(_ field: Field, _ target: Model) -> [String] {
        guard field.associatedWith.count == 1, let relation = target.field(field.associatedWith[0]),
            relation.connection == "BELONGS_TO"
        else { return field.associatedWith }
        return relation.targetNames
    }

    private func directive(_ name: String, _ argument: String, _ fields: [String]) -> String {
        "@\(name)" + Self.arguments([argument: .array(fields.map(JSONValue.string))])
    }

    /// The model at the other end of a many-to-many relation, of a list of its join model.
    func otherEnd(of join: Model, _ field: Field) -> String? {
        guard field.connection == "HAS_MANY", join.joined.count == 2 else { return nil }
        // The list is associated with the relation that leads back to its own model, or with the key of that.
        let back = join.fields.first { relation in
            relation.connection == "BELONGS_TO"
                && (field.associatedWith == [relation.name] || field.associatedWith == relation.targetNames)
        }
        let others = join.fields.filter { $0.connection == "BELONGS_TO" && $0.name != back?.name }
        return others.count == 1 ? others[0].model : nil
    }

    // MARK: Rules

    /// `@auth` of a model, without what is the default of a rule.
    func authorization(_ model: Model) -> String {
        let rules = model.attributes.filter { $0.type == "auth" }.flatMap { $0.properties["rules"]?.arrayValue ?? [] }
        guard !rules.isEmpty else { return "" }
        return " @auth(rules: [\(rules.compactMap(\.objectValue).map(rule).joined(separator: ", "))])"
    }

    private func rule(_ rule: JSONObject) -> String {
        let allow = rule["allow"]?.stringValue ?? ""
        var parts = ["allow: \(Self.isName(allow) ? allow : "private")"]
        let provider = rule["provider"]?.stringValue
        let usual = allow == "public" ? "apiKey" : allow == "custom" ? "function" : "userPools"
        if let provider, provider != usual, Self.isName(provider) { parts.append("provider: \(provider)") }
        for (key, usual) in [
            ("ownerField", ["owner"]), ("identityClaim", ["cognito:username", "username"]),
            ("groupClaim", ["cognito:groups"]), ("groupsField", ["groups"]),
        ] {
            guard let text = rule[key]?.stringValue, !usual.contains(text) else { continue }
            parts.append("\(key): \(JSONValue.string(text))")
        }
        if let groups = rule["groups"], !groups.isNull { parts.append("groups: \(Self.literal(groups))") }
        let operations = (rule["operations"]?.arrayValue ?? []).compactMap(\.stringValue).filter(Self.isName)
        if !operations.isEmpty, Set(operations) != ["create", "update", "delete", "read"] {
            parts.append("operations: [\(operations.joined(separator: ", "))]")
        }
        return "{\(parts.joined(separator: ", "))}"
    }
}
