/// Makes a `Schema` from its definitions.
public enum SchemaBuilder {
    /// The schema of a document, or all the faults that keep it from being one. Scalars of AppSync and the directives
    /// of `StandardDefinitions` need no definition.
    public static func build(from document: TypeSystemDocument) throws(SchemaErrors) -> Schema {
        let definitions = SchemaDefinitions(document, prelude: StandardDefinitions.directives)
        let errors = SchemaValidation.errors(in: definitions, requiresQuery: true)
        guard errors.isEmpty else { throw SchemaErrors(errors: errors) }
        return Assembly(definitions).schema()
    }
}

/// Turns validated definitions into types that point at each other by index.
///
/// Every name has been found by `SchemaValidation`; one that is missing here is a fault of ours.
private struct Assembly {
    let definitions: SchemaDefinitions
    let typeDefinitions: [TypeDefinition]
    let directiveDefinitions: [DirectiveDefinition]
    let identifiers: [String: TypeID]

    init(_ definitions: SchemaDefinitions) {
        self.definitions = definitions
        let own = Set(definitions.directives.map(\.name))
        var directives: [DirectiveDefinition] = []
        for case .directive(let directive) in StandardDefinitions.directives.definitions
        where !own.contains(directive.name) { directives.append(directive) }
        directives += definitions.directives
        directiveDefinitions = directives

        var types = definitions.types
        let declared = Set(types.map(\.name))
        // AppSync's own are there whether or not they are used, as the five are, so that a tool which prepends their
        // definitions to the printed schema and one which asks the service see the same types.
        let standard = Scalar.specified + Scalar.appSync
        let others = Scalar.predefined.filter { !standard.contains($0) }
        let used = Self.referencedNames(among: others.map(\.name), types: types, directives: directives)
        for scalar in standard + others.filter({ used.contains($0.name) })
        where !declared.contains(scalar.name) { types.append(.scalar(ScalarTypeDefinition(name: scalar.name))) }
        for case .type(let type) in StandardDefinitions.introspection.definitions { types.append(type) }
        typeDefinitions = types
        identifiers = Dictionary(
            zip(types.map(\.name), types.indices.map(TypeID.init)), uniquingKeysWith: { first, _ in first })
    }

    func schema() -> Schema {
        let string = GraphQLType.named(identifier(of: "String"))
        let name = InputField(
            name: "name", description: nil, type: .nonNull(string), defaultValue: nil, deprecationReason: nil)
        return Schema(
            description: definitions.schema?.description?.text,
            types: typeDefinitions.map(type),
            queryType: identifier(of: definitions.rootTypeName(of: .query) ?? ""),
            mutationType: definitions.rootTypeName(of: .mutation).map(identifier),
            subscriptionType: definitions.rootTypeName(of: .subscription).map(identifier),
            directives: directiveDefinitions.map(directive),
            metaFields: Schema.MetaFields(
                typename: metaField("__typename", type: .nonNull(string)),
                schema: metaField("__schema", type: .nonNull(.named(identifier(of: "__Schema")))),
                type: metaField("__type", arguments: [name], type: .named(identifier(of: "__Type")))))
    }

    private func metaField(_ name: String, arguments: [InputField] = [], type: GraphQLType) -> FieldType {
        FieldType(
            name: name, description: nil, arguments: arguments, type: type, deprecationReason: nil, directives: [])
    }

    private func type(_ definition: TypeDefinition) -> NamedType {
        NamedType(
            name: definition.name, description: definition.description?.text, kind: kind(of: definition),
            directives: definition.directives)
    }

    private func kind(of definition: TypeDefinition) -> NamedType.Kind {
        switch definition {
        case .scalar(let type):
            let url = definition.directive("specifiedBy")?["url"]?.stringValue
            return .scalar(Scalar(name: type.name) ?? .custom(name: type.name, specifiedByURL: url))
        case .object(let type):
            return .object(ObjectType(interfaces: type.interfaces.map(identifier), fields: type.fields.map(field)))
        case .interface(let type):
            return .interface(ObjectType(interfaces: type.interfaces.map(identifier), fields: type.fields.map(field)))
        case .union(let type): return .union(type.members.map(identifier))
        case .enumeration(let type):
            return .enumeration(
                type.values.map {
                    EnumValue(
                        name: $0.name, description: $0.description?.text,
                        deprecationReason: deprecationReason(in: $0.directives))
                })
        case .inputObject(let type): return .inputObject(type.fields.map(inputField))
        }
    }

    private func field(_ definition: FieldDefinition) -> FieldType {
        FieldType(
            name: definition.name, description: definition.description?.text,
            arguments: definition.arguments.map(inputField), type: type(definition.type),
            deprecationReason: deprecationReason(in: definition.directives), directives: definition.directives)
    }

    private func inputField(_ definition: InputValueDefinition) -> InputField {
        InputField(
            name: definition.name, description: definition.description?.text, type: type(definition.type),
            defaultValue: definition.defaultValue, deprecationReason: deprecationReason(in: definition.directives))
    }

    private func directive(_ definition: DirectiveDefinition) -> DirectiveType {
        DirectiveType(
            name: definition.name, description: definition.description?.text,
            arguments: definition.arguments.map(inputField), isRepeatable: definition.isRepeatable,
            locations: definition.locations.compactMap(DirectiveLocation.init))
    }

    /// `@deprecated` without a reason has the default of its definition; a reason of null is none.
    private func deprecationReason(in directives: [DirectiveNode]) -> String? {
        guard let deprecated = directives.first(where: { $0.name == "deprecated" }) else { return nil }
        if let reason = deprecated["reason"] { return reason.stringValue }
        return directiveDefinitions.first { $0.name == "deprecated" }?.arguments.first?.defaultValue?.stringValue
    }

    private func type(_ node: TypeNode) -> GraphQLType {
        switch node {
        case .named(let name): .named(identifier(of: name))
        case .list(let element): .list(type(element))
        case .nonNull(let nullable): .nonNull(type(nullable))
        }
    }

    private func identifier(of name: String) -> TypeID {
        guard let identifier = identifiers[name] else {
            preconditionFailure("a validated schema names known types only")
        }
        return identifier
    }

    /// Which of some names fields, arguments and directives refer to.
    private static func referencedNames(
        among candidates: [String], types: [TypeDefinition], directives: [DirectiveDefinition]
    ) -> Set<String> {
        var names: Set<String> = []
        func note(_ type: TypeNode) {
            let name = type.namedType
            if candidates.contains(name) { names.insert(name) }
        }
        // By their positions, so that they are not copied.
        func note(_ inputs: [InputValueDefinition]) { for position in inputs.indices { note(inputs[position].type) } }
        func note(_ fields: [FieldDefinition]) {
            for position in fields.indices {
                note(fields[position].type)
                note(fields[position].arguments)
            }
        }
        for type in types {
            switch type {
            case .object(let type): note(type.fields)
            case .interface(let type): note(type.fields)
            case .inputObject(let type): note(type.fields)
            case .scalar, .union, .enumeration: break
            }
        }
        for directive in directives { note(directive.arguments) }
        return names
    }
}
