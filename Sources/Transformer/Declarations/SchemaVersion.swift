import GraphQL

/// Which version of the transformer a schema is written for, by its directives or by option
/// (reference: transformer, "Versions and flags").
enum SchemaVersion {
    static let versionOne = Directives.names(onlyIn: .v1)
    static let versionTwo = Directives.names(onlyIn: .v2)

    /// 1 or 2. A directive of the other version is reported where it stands; without one of either, a schema is of
    /// version 1.
    static func version(
        of document: TypeSystemDocument, options: TransformOptions, diagnostics: inout DiagnosticList
    ) -> TransformOptions.TransformerVersion {
        let uses = document.directiveUses
        let one = uses.filter { versionOne.contains($0.node.name) }
        let two = uses.filter { versionTwo.contains($0.node.name) }
        switch options.transformerVersion {
        case .v1:
            for use in two { report(use, of: 2, because: "the options say version 1", in: &diagnostics) }
            return .v1
        case .v2:
            for use in one { report(use, of: 1, because: "the options say version 2", in: &diagnostics) }
            return .v2
        case .automatic:
            guard !two.isEmpty || SandboxMode.input(in: document) != nil else { return .v1 }
            if !one.isEmpty {
                for use in one { report(use, of: 1, because: mixture(two, of: 2), in: &diagnostics) }
                for use in two { report(use, of: 2, because: mixture(one, of: 1), in: &diagnostics) }
            }
            return .v2
        }
    }

    private static func mixture(_ uses: [DirectiveUse], of version: Int) -> String {
        guard let use = uses.first else { return "the schema is of version \(version)" }
        return "@\(use.node.name) on \(use.subject) belongs to version \(version)"
    }

    private static func report(
        _ use: DirectiveUse, of version: Int, because reason: String, in diagnostics: inout DiagnosticList
    ) {
        diagnostics.report(
            .invalidDirective,
            "@\(use.node.name) on \(use.subject) belongs to version \(version) of the transformer, and \(reason).",
            at: use.node.place, hint: version == 1 ? inVersionTwo(use) : inVersionOne(use))
    }

    // MARK: - What to write instead

    private static func inVersionTwo(_ use: DirectiveUse) -> String {
        switch use.node.name {
        case "key": key(use)
        case "connection": connection(use)
        default: "Leave it out: version 2 detects conflicts for a whole API instead."
        }
    }

    private static func key(_ use: DirectiveUse) -> String {
        let fields = use.node.names("fields")
        guard let first = fields.first else { return "Version 2 writes @primaryKey or @index on a field." }
        let type = use.owner.object?.field(named: first).map { ": \($0.type)" } ?? ""
        var arguments: [String] = []
        let name = use.node["name"]?.stringValue
        if let name { arguments.append("name: \"\(name)\"") }
        if fields.count > 1 { arguments.append("sortKeyFields: \(list(fields.dropFirst()))") }
        if name != nil, let query = use.node["queryField"]?.stringValue { arguments.append("queryField: \"\(query)\"") }
        return "Write \(first)\(type) @\(name == nil ? "primaryKey" : "index")\(text(arguments))"
    }

    private static func connection(_ use: DirectiveUse) -> String {
        let fields = use.node.names("fields")
        guard let type = use.field?.type, let name = use.field?.name else {
            return "Version 2 has @hasMany and @hasOne."
        }
        var arguments: [String] = []
        if type.isList, let key = use.node["keyName"]?.stringValue { arguments.append("indexName: \"\(key)\"") }
        if !fields.isEmpty { arguments.append("fields: \(list(fields[...]))") }
        if type.isList, let limit = use.node["limit"]?.intValue { arguments.append("limit: \(limit)") }
        // A single field with a pair leads back to a list; without one it is alone.
        let isPaired = use.node["name"]?.stringValue != nil
        let directive = type.isList ? "hasMany" : isPaired ? "belongsTo" : "hasOne"
        return "Write \(name): \(type) @\(directive)\(text(arguments))"
    }

    private static func inVersionOne(_ use: DirectiveUse) -> String {
        switch use.node.name {
        case "primaryKey", "index":
            "Version 1 writes @key on the type; to use @\(use.node.name), write all in version 2."
        case "hasOne", "hasMany", "belongsTo", "manyToMany":
            "Version 1 writes @connection; to use @\(use.node.name), write all in version 2."
        default: "Version 1 has no such directive; to use it, write all in version 2."
        }
    }

    private static func list(_ names: ArraySlice<String>) -> String {
        "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private static func text(_ arguments: [String]) -> String {
        arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    }
}
