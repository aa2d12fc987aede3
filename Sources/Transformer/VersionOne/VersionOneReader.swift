import GraphQL

/// Reads the directives of version 1: `@key` on types, `@connection` on fields, maps of `@model` that name all there is.
struct VersionOneReader: DeclarationReader {
    static let version = TransformOptions.TransformerVersion.v1
    let options: TransformOptions
    let declared: DeclaredSchema

    /// No argument: the usual names. Null: none. A map: what it names, and no other.
    func operations(_ directive: DirectiveNode, of type: String) -> ModelOperations {
        let name = type.firstUppercased
        func field(_ map: String, _ key: String, orElse name: String) -> String? {
            guard let map = directive[map] else { return name }
            return map[key]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        var operations = ModelOperations(
            get: field("queries", "get", orElse: "get\(name)"),
            list: field(
                "queries", "list", orElse: Names.list(type, improvePluralization: options.improvePluralization)),
            sync: options.conflictDetection(of: type) == .none ? nil : Names.sync(type),
            create: field("mutations", "create", orElse: "create\(name)"),
            update: field("mutations", "update", orElse: "update\(name)"),
            delete: field("mutations", "delete", orElse: "delete\(name)"),
            subscriptionLevel: directive.subscriptionLevel)
        guard operations.subscriptionLevel != .off else { return operations }
        // A map that lists a field lists all of them; one that gives the level alone leaves the usual names.
        guard let map = directive["subscriptions"],
            operations.events.contains(where: { map[$0.name].map { !$0.isNull } ?? false })
        else {
            for case (let event, let mutation?) in operations.events {
                operations.subscriptions.append(
                    ModelOperations.Subscription(field: "\(event)\(name)", mutations: [mutation]))
            }
            return operations
        }
        let listed = operations.events.map { event, mutation in
            (fields: (map[event]?.listCoercedValue ?? []).compactMap(\.stringValue), mutation: mutation)
        }
        for field in listed.flatMap(\.fields) where !operations.subscriptions.contains(where: { $0.field == field }) {
            operations.subscriptions.append(
                ModelOperations.Subscription(
                    field: field, mutations: listed.filter { $0.fields.contains(field) }.compactMap(\.mutation)))
        }
        return operations
    }

    /// (reference: transformer, "@key").
    func keys(of type: ObjectTypeDefinition) -> [KeyDeclaration] {
        type.directives(named: "key").compactMap { node in
            guard let values = node["fields"]?.listCoercedValue else { return nil }
            let fields = values.compactMap(\.stringValue)
            guard fields.count == values.count else { return nil }
            var key = KeyDeclaration(
                name: node.text("name"), fields: fields, queryField: node.text("queryField"), directive: "key")
            key.place = DeclarationPlace(node.place)
            return key
        }
    }

    /// (reference: transformer, "@connection").
    func relation(_ node: DirectiveNode) -> RelationDeclaration? {
        guard node.name == "connection" else { return nil }
        var fields: [String]?
        if let value = node["fields"], !value.isNull {
            fields = node.names("fields")
            guard fields?.count == value.listCoercedValue.count else { return nil }
        }
        var relation = RelationDeclaration(
            kind: .connection, fields: fields, indexName: node.text("keyName"), name: node.text("name"),
            keyField: node.text("keyField"), sortField: node.text("sortField"), limit: node["limit"]?.intValue)
        relation.place = DeclarationPlace(node.place)
        return relation
    }
}

extension DirectiveNode {
    /// Of `@model`: null for `subscriptions` is as good as `level: off`.
    var subscriptionLevel: ModelOperations.SubscriptionLevel {
        guard let map = self["subscriptions"] else { return .on }
        return map.isNull ? .off : (map["level"]?.nameValue).flatMap(ModelOperations.SubscriptionLevel.init) ?? .on
    }
}
