import GraphQL

/// The directives a schema may be written with: the SDL of those that are served in each version, and the names of
/// those that are known and wait to be.
enum Directives {
    /// What both versions have (reference: transformer, "@model").
    private static let model = """
        directive @model(
          queries: ModelQueryMap
          mutations: ModelMutationMap
          subscriptions: ModelSubscriptionMap
          timestamps: TimestampConfiguration
        ) on OBJECT
        input ModelQueryMap { get: String list: String }
        input ModelMutationMap { create: String update: String delete: String }
        input ModelSubscriptionMap {
          onCreate: [String] onUpdate: [String] onDelete: [String] level: ModelSubscriptionLevel
        }
        enum ModelSubscriptionLevel { off public on }
        input TimestampConfiguration { createdAt: String updatedAt: String }

        """

    /// Version 1 (reference: transformer, "@key") (reference: transformer, "@connection").
    private static let versionOne = """
        directive @key(name: String, fields: [String!]!, queryField: String) repeatable on OBJECT

        directive @connection(
          name: String, keyField: String, sortField: String, keyName: String, limit: Int, fields: [String!]
        ) on FIELD_DEFINITION
        """

    /// Version 2 (reference: transformer, "Version 2").
    private static let versionTwo = """
        directive @primaryKey(sortKeyFields: [String]) on FIELD_DEFINITION

        directive @index(name: String, sortKeyFields: [String], queryField: String) repeatable on FIELD_DEFINITION

        directive @hasOne(fields: [String!], references: [String!]) on FIELD_DEFINITION

        directive @hasMany(
          indexName: String, fields: [String!], references: [String!], limit: Int = 100
        ) on FIELD_DEFINITION

        directive @belongsTo(fields: [String!], references: [String!]) on FIELD_DEFINITION

        directive @manyToMany(relationName: String!, limit: Int = 100) on FIELD_DEFINITION

        directive @default(value: String!) on FIELD_DEFINITION

        directive @mapsTo(name: String!) on OBJECT

        directive @refersTo(name: String!) on OBJECT | FIELD_DEFINITION
        """

    /// What the author's schema may use without defining it: the directives of its version, and those of the service
    /// itself.
    static func prelude(of version: TransformOptions.TransformerVersion) -> TypeSystemDocument {
        version == .v2 ? preludeTwo : preludeOne
    }

    private static let preludeOne = prelude(model + versionOne)
    private static let preludeTwo = prelude(model + versionTwo)

    private static func prelude(_ definitions: String) -> TypeSystemDocument {
        TypeSystemDocument(
            StandardDefinitions.directives.definitions
                + Parser.parseTypeSystem([Source(definitions, name: "directives")], keepingPlaces: false)
                .document.definitions)
    }

    /// Reports every directive that is known and not served, and takes it out of the document, so that validation
    /// speaks of the rest.
    static func refuseUnserved(
        in document: TypeSystemDocument, diagnostics: inout DiagnosticList
    ) -> TypeSystemDocument {
        var found: [DirectiveNode] = []
        let remaining = document.filteringDirectives { directive, _ in
            guard reasonNotServed(directive.name) != nil else { return true }
            found.append(directive)
            return false
        }
        for directive in found {
            diagnostics.report(
                .notServed, "@\(directive.name) is not served by this version.", at: directive.place,
                hint: reasonNotServed(directive.name))
        }
        return remaining
    }

    /// Why a directive is not served, and what serves instead.
    static func reasonNotServed(_ name: String) -> String? {
        if guarding.contains(name) { return "The API key is the only mode of authorization that is served." }
        return others[name]
    }

    /// The directives the output keeps (reference: transformer, "Printed schema").
    static let printed: Set<String> = [
        "aws_subscribe", "aws_auth", "aws_api_key", "aws_iam", "aws_oidc", "aws_cognito_user_pools", "aws_lambda",
        "deprecated",
    ]

    private static let guarding: Set<String> = [
        "aws_auth", "aws_iam", "aws_oidc", "aws_cognito_user_pools", "aws_lambda",
    ]
    private static let others = [
        "versioned": "Without it the last write wins.",
        "searchable": "Lists take a filter, and a @key gives an index.",
        "function": "No handlers are called yet.",
        "http": "No handlers are called yet.",
        "predictions": "No handlers are called yet.",
    ]
}

extension TypeSystemDocument {
    /// The document after each directive of each node was looked at and kept or not.
    func filteringDirectives(_ isKept: (DirectiveNode, DirectiveOwner) -> Bool) -> TypeSystemDocument {
        var document = self
        document.definitions = definitions.map { definition in
            switch definition {
            case .type(let type): .type(type.filteringDirectives(isKept))
            case .typeExtension(let type): .typeExtension(type.filteringDirectives(isKept))
            case .schema, .schemaExtension, .directive, .executable: definition
            }
        }
        return document
    }
}

/// What a directive stands on.
enum DirectiveOwner {
    case type(TypeDefinition)
    /// A field, argument, enum value or input field, inside this type.
    case member
}

extension TypeDefinition {
    /// The type after each directive on it and inside it was looked at and kept or not, in the order of the text.
    func filteringDirectives(_ isKept: (DirectiveNode, DirectiveOwner) -> Bool) -> TypeDefinition {
        func members(_ directives: [DirectiveNode]) -> [DirectiveNode] {
            directives.filter { isKept($0, .member) }
        }
        func inputs(_ values: [InputValueDefinition]) -> [InputValueDefinition] {
            values.map { value in
                var value = value
                value.directives = members(value.directives)
                return value
            }
        }
        func fields(_ fields: [FieldDefinition]) -> [FieldDefinition] {
            fields.map { field in
                var field = field
                field.arguments = inputs(field.arguments)
                field.directives = members(field.directives)
                return field
            }
        }
        var type = self
        type.directives = directives.filter { isKept($0, .type(self)) }
        switch type {
        case .object(var object):
            object.fields = fields(object.fields)
            return .object(object)
        case .interface(var interface):
            interface.fields = fields(interface.fields)
            return .interface(interface)
        case .inputObject(var input):
            input.fields = inputs(input.fields)
            return .inputObject(input)
        case .enumeration(var enumeration):
            enumeration.values = enumeration.values.map { value in
                var value = value
                value.directives = members(value.directives)
                return value
            }
            return .enumeration(enumeration)
        case .scalar, .union: return type
        }
    }
}
