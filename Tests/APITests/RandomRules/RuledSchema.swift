import Tables
import Transformer

/// A rule as a schema writes it. What it means is left to the plain readings.
struct WrittenRule {
    enum Allow {
        case owner(field: String?, claim: String?)
        case groups([String], claim: String?)
        case groupsField(String?, claim: String?)
        case `public`
        case `private`
        case custom
    }

    var allow: Allow
    var provider: String?
    /// By the arguments' names: `operations`, and in version 1 `queries` and `mutations`; a nil value is written as `null`.
    var operations: [String: [String]?] = [:]

    var mode: TransformOptions.AuthMode {
        switch provider {
        case "apiKey": return .apiKey
        case "userPools": return .userPools
        case "oidc": return .oidc
        case "iam", "identityPool": return .iam
        case "function": return .lambda
        default: break
        }
        switch allow {
        case .owner, .groups, .groupsField, .private: return .userPools
        case .public: return .apiKey
        case .custom: return .lambda
        }
    }

    var isStatic: Bool {
        switch allow {
        case .owner, .groupsField: false
        case .groups, .public, .private, .custom: true
        }
    }

    var text: String {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts.append("\(name): \"\(value)\"") } }
        switch allow {
        case .owner(let field, let claim):
            parts.append("allow: owner")
            add("ownerField", field)
            add("identityClaim", claim)
        case .groups(let groups, let claim):
            parts.append("allow: groups, groups: [\(groups.map { "\"\($0)\"" }.joined(separator: ", "))]")
            add("groupClaim", claim)
        case .groupsField(let field, let claim):
            parts.append("allow: groups")
            add("groupsField", field)
            add("groupClaim", claim)
        case .public: parts.append("allow: public")
        case .private: parts.append("allow: private")
        case .custom: parts.append("allow: custom")
        }
        if let provider { parts.append("provider: \(provider)") }
        for (name, value) in operations.sorted(by: { $0.key < $1.key }) {
            parts.append("\(name): \(value.map { "[\($0.joined(separator: ", "))]" } ?? "null")")
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    static func directive(_ rules: [WrittenRule]?) -> String {
        rules.map { " @auth(rules: [\($0.map(\.text).joined(separator: ", "))])" } ?? ""
    }
}

/// A schema with `@auth`, as a test has drawn it.
struct RuledSchema {
    struct Field {
        enum Kind: Equatable {
            case text
            case number
            case texts
            /// The type of the schema that is no model.
            case bag
            case toMany(model: String, index: String)
            case toOne(model: String, key: String)
        }

        var name: String
        var type: String
        var kind: Kind
        var rules: [WrittenRule]?

        var isNonNull: Bool { type.hasSuffix("!") }
        var isRelation: Bool {
            switch kind {
            case .toMany, .toOne: true
            case .text, .number, .texts, .bag: false
            }
        }
    }

    struct Index {
        var name: String
        /// The partition key and the sort key.
        var fields: [String]
        var queryField: String
    }

    struct Model {
        var name: String
        /// The declared fields.
        var fields: [Field]
        /// The primary key, a partition key and sort keys.
        var key: [String]
        var indexes: [Index] = []
        var rules: [WrittenRule]?
        /// Whether subscriptions are under rules, as by default.
        var hasRuledSubscriptions = true

        var plural: String { name + "s" }
        /// The fields that the transformer adds: an `id`, and owners.
        var addedFields: [Field] {
            var added: [Field] = []
            if key == ["id"], !fields.contains(where: { $0.name == "id" }) {
                added.append(Field(name: "id", type: "ID!", kind: .text))
            }
            let all = (rules ?? []) + fields.flatMap { $0.rules ?? [] }
            for rule in all {
                guard case .owner(let field, _) = rule.allow else { continue }
                let name = field ?? "owner"
                if !(fields + added).contains(where: { $0.name == name }) {
                    added.append(Field(name: name, type: "String", kind: .text))
                }
            }
            return added
        }
        var allFields: [Field] { fields + addedFields }
        var isRuled: Bool { rules != nil || fields.contains { $0.rules != nil } }

        func field(_ name: String) -> Field? { allFields.first { $0.name == name } }
        /// What inputs may have: all but relations and added owners.
        var inputFields: [Field] {
            fields.filter { !$0.isRelation } + addedFields.filter { $0.name == "id" }
        }
    }

    var version: TransformOptions.TransformerVersion
    /// The modes of the API, the default one first.
    var modes: [TransformOptions.AuthMode]
    var models: [Model]
    /// The rules of the field `inner` of the type `Bag`, which is no model.
    var bagRules: [WrittenRule]?
    /// The rules of `Query.ping`, which a function answers; nil where there are none.
    var pingRules: [WrittenRule]?
    var isSandbox = false
    var usesSubUsername = true
    var populatesOwners = true
    var inheritsPrimary = false
    var hasAdmins = false
    /// Whether items have versions, and models a query for syncs.
    var isVersioned = false

    var options: TransformOptions {
        var options = TransformOptions(
            transformerVersion: version, useSubUsernameForDefaultIdentityClaim: usesSubUsername,
            populateOwnerFieldForStaticGroupAuth: populatesOwners, subscriptionsInheritPrimaryAuth: inheritsPrimary,
            authModes: modes)
        if isVersioned {
            options.conflictDetection = .version
            options.conflictHandler = .optimisticConcurrency
        }
        if hasAdmins { options.adminRoles = ["admin"] }
        return options
    }

    /// The schema, or the same without rules, whose service seeds the data and shows what is stored.
    func text(hasRules: Bool = true) -> String {
        var lines: [String] = []
        if hasRules, isSandbox { lines.append("input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }") }
        for model in models { lines.append(text(of: model, hasRules: hasRules)) }
        lines.append("type Bag { outer: String inner: String\(hasRules ? WrittenRule.directive(bagRules) : "") }")
        let ping = hasRules ? WrittenRule.directive(pingRules) : ""
        lines.append("type Query { ping: String @function(name: \"ping\")\(ping) }")
        return lines.joined(separator: "\n")
    }

    private func text(of model: Model, hasRules: Bool) -> String {
        var directives = model.hasRuledSubscriptions ? " @model" : " @model(subscriptions: {level: off})"
        if version == .v1 {
            if model.key != ["id"] { directives += " @key(fields: [\(Self.quoted(model.key))])" }
            for index in model.indexes {
                directives +=
                    " @key(name: \"\(index.name)\", fields: [\(Self.quoted(index.fields))], "
                    + "queryField: \"\(index.queryField)\")"
            }
        }
        if hasRules { directives += WrittenRule.directive(model.rules) }
        let fields = hasRules ? model.fields : model.fields + model.addedFields.filter { $0.name != "id" }
        let lines = fields.map { field in
            var line = "  \(field.name): \(field.type)"
            if version == .v2 {
                if model.key != ["id"], model.key.first == field.name {
                    line +=
                        model.key.count > 1
                        ? " @primaryKey(sortKeyFields: [\(Self.quoted(Array(model.key.dropFirst())))])" : " @primaryKey"
                }
                for index in model.indexes where index.fields[0] == field.name {
                    line += " @index(name: \"\(index.name)\""
                    if index.fields.count > 1 { line += ", sortKeyFields: [\(Self.quoted([index.fields[1]]))]" }
                    line += ", queryField: \"\(index.queryField)\")"
                }
            }
            switch field.kind {
            case .toMany(_, let index):
                line +=
                    version == .v2
                    ? " @hasMany(indexName: \"\(index)\", fields: [\"\(model.key[0])\"])"
                    : " @connection(keyName: \"\(index)\", fields: [\"\(model.key[0])\"])"
            case .toOne(_, let key):
                line += version == .v2 ? " @belongsTo(fields: [\"\(key)\"])" : " @connection(fields: [\"\(key)\"])"
            case .text, .number, .texts, .bag: break
            }
            return line + (hasRules ? WrittenRule.directive(field.rules) : "")
        }
        return "type \(model.name)\(directives) {\n\(lines.joined(separator: "\n"))\n}"
    }

    private static func quoted(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
}
