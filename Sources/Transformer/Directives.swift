import GraphQL

/// The directives a schema may be written with: the SDL of those that are served, and the names of those that are
/// known and wait to be.
enum Directives {
    /// Definitions of what is served, which the author's schema is validated with (transformer §§2, 4, 5).
    static let definitions = """
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

        directive @key(name: String, fields: [String!]!, queryField: String) repeatable on OBJECT

        directive @connection(
          name: String, keyField: String, sortField: String, keyName: String, limit: Int, fields: [String!]
        ) on FIELD_DEFINITION
        """

    /// What the author's schema may use without defining it: these, and the directives of the service itself.
    static let prelude = TypeSystemDocument(
        StandardDefinitions.directives.definitions
            + Parser.parseTypeSystem([Source(definitions, name: "directives")], keepingPlaces: false)
            .document.definitions)

    /// Reports every directive that is known and not served, and takes it out of the document, so that validation
    /// speaks of the rest. What is taken out without a word changes nothing.
    static func refuseUnserved(
        in document: TypeSystemDocument, options: TransformOptions, diagnostics: inout DiagnosticList
    ) -> TypeSystemDocument {
        var found: [DirectiveNode] = []
        let remaining = document.filteringDirectives { directive, owner in
            guard reasonNotServed(directive.name) != nil else { return true }
            let isHarmless =
                directive.name == "auth" && AuthDirective.changesNothing(directive, on: owner, options: options)
            if !isHarmless { found.append(directive) }
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
    private static func reasonNotServed(_ name: String) -> String? {
        if versionTwo.contains(name) {
            return "It belongs to version 2 of the transformer; version 1's @key and @connection are served."
        }
        if authorization.contains(name) { return "The only rule that is served is {allow: public} by API key." }
        if guarding.contains(name) { return "The API key is the only mode of authorization that is served." }
        return others[name]
    }

    /// The directives the output keeps (transformer §1.2).
    static let printed: Set<String> = [
        "aws_subscribe", "aws_auth", "aws_api_key", "aws_iam", "aws_oidc", "aws_cognito_user_pools", "aws_lambda",
        "deprecated",
    ]

    private static let versionTwo: Set<String> = [
        "primaryKey", "index", "hasOne", "hasMany", "belongsTo", "manyToMany", "default", "mapsTo", "refersTo",
    ]
    private static let authorization: Set<String> = ["auth"]
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
