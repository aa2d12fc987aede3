import GraphQL

/// Reads the directives of one version into declarations: what the versions write differently is a requirement, what
/// they have in common an extension.
protocol DeclarationReader: Sendable {
    static var version: TransformOptions.TransformerVersion { get }
    var options: TransformOptions { get }
    var declared: DeclaredSchema { get }

    /// The fields that `@model` of a type generates.
    func operations(_ directive: DirectiveNode, of type: String) -> ModelOperations
    /// The keys of a type, the primary one included.
    func keys(of type: ObjectTypeDefinition) -> [KeyDeclaration]
    /// The relation that a directive declares; nil of another directive.
    func relation(_ directive: DirectiveNode) -> RelationDeclaration?
}

extension DeclarationReader {
    var version: TransformOptions.TransformerVersion { Self.version }

    /// A type with `@model`; nil of another.
    func model(_ type: ObjectTypeDefinition) -> ModelDeclaration? {
        guard let directive = type.directives(named: "model").first else { return nil }
        var model = ModelDeclaration(
            name: type.name, fields: type.fields.map { field($0, of: type) },
            operations: operations(directive, of: type.name), timestamps: timestamps(directive), keys: keys(of: type),
            rules: rules(type.directives, at: .model(type)))
        model.place = DeclarationPlace(type.place)
        model.directivePlace = DeclarationPlace(directive.place)
        if let node = type.directives(named: "versioned").first {
            let usual = ModelDeclaration.Versioned()
            model.versioned = ModelDeclaration.Versioned(
                versionField: node["versionField"]?.stringValue ?? usual.versionField,
                versionInput: node["versionInput"]?.stringValue ?? usual.versionInput)
        }
        model.storedNames = storedNames(type.directives)
        return model
    }

    /// Another type: only its fields have declarations.
    func type(_ type: ObjectTypeDefinition) -> TypeDeclaration {
        var declaration = TypeDeclaration(name: type.name, fields: type.fields.map { field($0, of: type) })
        declaration.keys = keys(of: type)
        declaration.mappings = storedNames(type.directives)
        declaration.place = DeclarationPlace(type.place)
        return declaration
    }

    /// An interface, whose fields can have no declarations that are not at fault.
    func type(_ type: InterfaceTypeDefinition) -> TypeDeclaration {
        var declaration = TypeDeclaration(name: type.name, fields: type.fields.map { field($0, of: nil) })
        declaration.place = DeclarationPlace(type.place)
        return declaration
    }

    private func field(_ field: FieldDefinition, of type: ObjectTypeDefinition?) -> FieldDeclaration {
        let relations = field.directives.compactMap(relation)
        func ownRules() -> [AuthorizationRule] {
            guard let type, !field.directives.isEmpty else { return [] }
            let location: AuthorizationRuleReader.Location =
                type.isModel ? .modelField(field, of: type) : .otherField(field, of: type)
            return rules(field.directives, at: location)
        }
        var declaration = FieldDeclaration(
            name: field.name, type: field.type,
            arguments: field.arguments.map {
                FieldDeclaration.Argument(name: $0.name, type: $0.type, defaultValue: $0.defaultValue)
            }, storedName: storedNames(field.directives).first,
            rules: ownRules(), functions: field.directives.compactMap(function))
        declaration.relations = relations
        declaration.place = DeclarationPlace(field.place)
        if let node = field.directive(named: "default") {
            declaration.defaultValue = node["value"]?.stringValue
            declaration.defaultPlace = DeclarationPlace(node.place)
        }
        return declaration
    }

    /// `@mapsTo` before `@refersTo`.
    private func storedNames(_ directives: [DirectiveNode]) -> [StoredNameDeclaration] {
        guard Self.version == .v2, !directives.isEmpty else { return [] }
        return ["mapsTo", "refersTo"].flatMap { directive in
            directives.filter { $0.name == directive }.compactMap { node in
                guard let text = node["name"]?.stringValue else { return nil }
                var name = StoredNameDeclaration(name: text, directive: directive)
                name.place = DeclarationPlace(node.place)
                return name
            }
        }
    }

    private func timestamps(_ directive: DirectiveNode) -> ModelTimestamps {
        guard let map = directive["timestamps"] else { return ModelTimestamps() }
        if map.isNull { return ModelTimestamps(createdAt: nil, updatedAt: nil) }
        func name(_ key: String) -> String? { map[key].map(\.stringValue) ?? key }
        return ModelTimestamps(createdAt: name("createdAt"), updatedAt: name("updatedAt"))
    }

    /// The rules that are not at fault; validation reports the others.
    private func rules(
        _ directives: [DirectiveNode], at location: AuthorizationRuleReader.Location
    ) -> [AuthorizationRule] {
        guard let node = directives.first(where: { $0.name == "auth" }) else { return [] }
        let reader = AuthorizationRuleReader(Self.version, options: options, declared: declared)
        return (try? reader.rules(of: node, at: location)) ?? []
    }

    private func function(_ node: DirectiveNode) -> FunctionDeclaration? {
        guard node.name == "function", let name = node["name"]?.stringValue else { return nil }
        var function = FunctionDeclaration(
            name: name, region: node.text("region"), accountId: node.text("accountId"))
        function.place = DeclarationPlace(node.place)
        return function
    }
}

extension DirectiveNode {
    /// The characters of an argument; nil where it is absent, null or empty.
    func text(_ argument: String) -> String? { self[argument]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }

    /// The names an argument lists; one alone is a list of itself, null and none are no names.
    func names(_ argument: String) -> [String] {
        guard let value = self[argument], !value.isNull else { return [] }
        return value.listCoercedValue.compactMap(\.stringValue)
    }
}
