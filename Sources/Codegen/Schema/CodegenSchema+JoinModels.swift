import JSON
import Transformer

// Version 2: keys as `@key` would declare them, and the models that `@manyToMany` stands for.

extension CodegenSchema {
    /// Declares the keys of all models on the types.
    mutating func declareKeys() {
        for index in models.indices { Self.declareKeys(of: &models[index]) }
    }

    private static func declareKeys(of model: inout CodegenModel) {
        if let field = model.primaryKeyField {
            let fields = [field.name] + (field.directive("primaryKey")?.names("sortKeyFields") ?? [])
            model.directives.append(CodegenDirective("key", ["fields": .array(fields.map(JSONValue.string))]))
        }
        // If a field has several @index directives, only the first is generated.
        for field in model.fields {
            guard let index = field.directive("index") else { continue }
            let fields = [field.name] + (index.names("sortKeyFields") ?? [])
            let name = index.text("name") ?? Names.index(model.name, by: fields)
            guard model.key(named: name) == nil else { continue }
            var arguments: JSONObject = ["name": .string(name)]
            arguments["queryField"] = index.arguments["queryField"]
            arguments["fields"] = .array(fields.map(JSONValue.string))
            model.directives.append(CodegenDirective("key", arguments))
        }
    }

    /// One side of a `@manyToMany`.
    private struct Side {
        let model: Int
        let field: String
        let relation: String
    }

    /// Adds a model for each `@manyToMany` relation, to which both of its sides have many relations then.
    mutating func addJoinModels(for target: CodegenTarget) throws(Diagnostic) {
        var names: [String] = []
        var sides: [String: [Side]] = [:]
        for (index, model) in models.enumerated() {
            for field in model.fields {
                guard let relation = field.directive("manyToMany")?.text("relationName") else { continue }
                let name = Names.joinModel(relation)
                if sides[name] == nil { names.append(name) }
                sides[name, default: []].append(Side(model: index, field: field.name, relation: relation))
            }
        }
        for name in names {
            let pair = sides[name] ?? []
            guard pair.count == 2 else {
                throw failure(
                    "The relation \(name) is used by \(pair.count) fields with @manyToMany; it has two ends.",
                    at: pair.first.flatMap { models[$0.model].field($0.field)?.place })
            }
            models.append(try joinModel(name, of: pair.map { models[$0.model] }, for: target))
            for side in pair { convert(side, into: name) }
        }
    }

    private func joinModel(
        _ name: String, of sides: [CodegenModel], for target: CodegenTarget
    ) throws(Diagnostic) -> CodegenModel {
        var model = CodegenModel(
            name: name, directives: [CodegenDirective("model")], fields: [CodegenField("id", "ID", isNullable: false)])
        var relations: [CodegenField] = []
        for side in sides {
            let keyName =
                options.hasCustomKeys
                ? Names.camelCased([side.name, side.primaryKey?.field ?? "id"])
                : CaseStyle.camel(side.name) + "ID"
            let sortKeys = side.sortKeyFieldsOfKey.map { (side.name.firstLowercased + $0.name, $0) }
            var key = CodegenField(keyName, "ID", isNullable: true)
            key.directives = [
                CodegenDirective(
                    "index",
                    ["name": .string("by\(side.name)"), "sortKeyFields": .array(sortKeys.map { .string($0.0) })])
            ]
            model.fields.append(key)
            for (name, field) in sortKeys { model.fields.append(CodegenField(name, field.type, isNullable: true)) }
            var relation = CodegenField(CaseStyle.camel(side.name), side.name, isNullable: false)
            relation.directives = [
                CodegenDirective(
                    "belongsTo", ["fields": .array(([keyName] + sortKeys.map(\.0)).map(JSONValue.string))])
            ]
            relations.append(relation)
        }
        model.fields += relations
        // Rules that both sides write alike count once.
        var rules: [JSONObject] = []
        for side in sides {
            for directive in side.directives where directive.name == "auth" && !rules.contains(directive.arguments) {
                rules.append(directive.arguments)
            }
        }
        model.directives += rules.map { CodegenDirective("auth", $0) }
        Self.declareKeys(of: &model)
        try complete(&model, for: target)
        return model
    }

    private mutating func convert(_ side: Side, into join: String) {
        let model = models[side.model]
        guard let position = model.fields.firstIndex(where: { $0.name == side.field }) else { return }
        let key = model.fields.last { $0.directive("primaryKey") != nil }?.name ?? "id"
        let fields = [key] + model.sortKeyFieldsOfKey.map(\.name)
        models[side.model].fields[position].type = join
        models[side.model].fields[position].directives.removeAll { $0.name == "manyToMany" }
        models[side.model].fields[position].directives.append(
            CodegenDirective(
                "hasMany",
                ["indexName": .string("by\(model.name)"), "fields": .array(fields.map(JSONValue.string))]))
    }
}
