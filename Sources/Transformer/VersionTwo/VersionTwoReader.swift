import GraphQL

/// Reads the directives of version 2: `@primaryKey` and `@index` on fields, four kinds of relations, maps of `@model`
/// that change what they name.
struct VersionTwoReader: DeclarationReader {
    static let version = TransformOptions.TransformerVersion.v2
    let options: TransformOptions
    let declared: DeclaredSchema

    /// A map changes what it names, the rest keeps its default. Without the flag
    /// `shouldDeepMergeDirectiveConfigDefaults` a map names all that there is, as in version 1.
    func operations(_ directive: DirectiveNode, of type: String) -> ModelOperations {
        let name = type.firstUppercased
        let isMerged = options.shouldDeepMergeDirectiveConfigDefaults
        func field(_ map: String, _ key: String, orElse name: String) -> String? {
            guard let map = directive[map] else { return name }
            guard !map.isNull else { return nil }
            guard let value = map[key] else { return isMerged ? name : nil }
            return value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        let isVersioned = options.conflictDetection(of: type) != .none
        var operations = ModelOperations(
            get: field("queries", "get", orElse: "get\(name)"),
            list: field("queries", "list", orElse: Names.list(type, improvePluralization: true)),
            sync: isVersioned ? field("queries", "sync", orElse: Names.sync(type)) : nil,
            create: field("mutations", "create", orElse: "create\(name)"),
            update: field("mutations", "update", orElse: "update\(name)"),
            delete: field("mutations", "delete", orElse: "delete\(name)"),
            subscriptionLevel: directive.subscriptionLevel)
        guard operations.subscriptionLevel != .off else { return operations }
        let map = directive["subscriptions"]
        // Without merging, a map that only makes subscriptions public leaves them as they are.
        let isOnlyPublic =
            operations.subscriptionLevel == .public
            && !operations.events.contains { map?[$0.name].map { !$0.isNull } ?? false }
        let keepsDefaults = isMerged || map == nil || isOnlyPublic
        for case (let event, let mutation?) in operations.events {
            for field in Self.fields(of: event, in: map, orElse: keepsDefaults ? ["\(event)\(name)"] : []) {
                if let position = operations.subscriptions.firstIndex(where: { $0.field == field }) {
                    operations.subscriptions[position].mutations.append(mutation)
                } else {
                    operations.subscriptions.append(
                        ModelOperations.Subscription(field: field, mutations: [mutation]))
                }
            }
        }
        return operations
    }

    /// The fields a map lists for an event. An empty list changes nothing when it is merged with the default.
    private static func fields(of event: String, in map: ConstValue?, orElse names: [String]) -> [String] {
        guard let value = map?[event] else { return names }
        guard !value.isNull else { return [] }
        let listed = value.listCoercedValue.compactMap(\.stringValue)
        return value.listCoercedValue.isEmpty ? names : listed
    }

    /// (reference: transformer, "@primaryKey and @index").
    func keys(of type: ObjectTypeDefinition) -> [KeyDeclaration] {
        var primaryKeys: [KeyDeclaration] = []
        var indexes: [KeyDeclaration] = []
        for field in type.fields {
            for node in field.directives {
                let fields = [field.name] + node.names("sortKeyFields")
                if node.name == "primaryKey" {
                    var key = KeyDeclaration(name: nil, fields: fields, directive: "primaryKey")
                    key.place = DeclarationPlace(node.place)
                    primaryKeys.append(key)
                } else if node.name == "index" {
                    indexes.append(index(node, by: fields, of: type.name))
                }
            }
        }
        return primaryKeys + indexes
    }

    /// The directive with what its author left to the rules: the name of the index, and by flag that of its query.
    private func index(_ node: DirectiveNode, by fields: [String], of type: String) -> KeyDeclaration {
        let generated = Names.index(type, by: fields)
        // An explicit null is a query the author does not want.
        let isQueried = node["queryField"].map { !$0.isNull } ?? options.enableAutoIndexQueryNames
        var key = KeyDeclaration(
            name: node.text("name") ?? generated, fields: fields,
            queryField: isQueried
                ? node.text("queryField") ?? (options.enableAutoIndexQueryNames ? generated : nil) : nil,
            directive: "index")
        key.hasNullName = node["name"]?.isNull == true
        key.place = DeclarationPlace(node.place)
        return key
    }

    /// (reference: transformer, "Relations of version 2").
    func relation(_ node: DirectiveNode) -> RelationDeclaration? {
        guard let kind = RelationDeclaration.Kind(rawValue: node.name), kind != .connection else { return nil }
        let fields = node.names("fields")
        var relation = RelationDeclaration(
            kind: kind, fields: fields.isEmpty ? nil : fields, references: node.names("references"),
            indexName: node.text("indexName"), name: node["relationName"]?.stringValue,
            limit: node["limit"]?.intValue)
        relation.emptyLists = ["fields", "references"].filter { argument in
            node[argument].map { !$0.isNull && $0.listCoercedValue.isEmpty } ?? false
        }
        relation.place = DeclarationPlace(node.place)
        return relation
    }
}
