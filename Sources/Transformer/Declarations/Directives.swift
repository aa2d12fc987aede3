import GraphQL

/// The table of the directives that a schema may be written with. The prelude that validation and its hints use, the
/// versions, the printed directives and the report of what each is served as are read from it.
enum Directives {
    /// One line of the table.
    struct Entry: Sendable {
        /// The name without `@`.
        let name: String
        /// The versions of the transformer that have the directive.
        let versions: Set<TransformOptions.TransformerVersion>
        /// Its definition as SDL, with the input types and enums that only it uses; nil for a directive of AppSync or of
        /// GraphQL itself, which `StandardDefinitions` defines.
        let definition: String?
        /// The definition in version 2, where it differs.
        var versionTwoDefinition: String?
        let support: Support
        /// Whether it makes a field lead to items of another model.
        var isRelation = false
        /// Whether the generated schema keeps it (reference: transformer, "Printed schema").
        var isPrinted = false

        /// The definition in one version.
        func definition(in version: TransformOptions.TransformerVersion) -> String? {
            version == .v2 ? versionTwoDefinition ?? definition : definition
        }
    }

    /// How a directive is served, as one sentence for `DirectiveReport`.
    enum Support: Sendable {
        /// As Amplify serves it.
        case same(String)
        /// Served, and not in every way as Amplify does.
        case different(String)
        /// It depends on where the directive stands and what it says; `DirectiveReport` decides. Validation checks the
        /// directive as every other.
        case conditional
        /// The same for `@auth`, whose arguments `AuthorizationRuleReader` validates.
        case conditionalRules
        /// The schema is refused, with this hint.
        case notServed(String)
    }

    static let all: [Entry] = tables + relations + mappings + rules + functions + service

    static subscript(name: String) -> Entry? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The directives that only this version has.
    static func names(onlyIn version: TransformOptions.TransformerVersion) -> Set<String> {
        Set(all.filter { $0.versions == [version] }.map(\.name))
    }

    // MARK: - The table

    private static let both: Set<TransformOptions.TransformerVersion> = [.v1, .v2]

    /// (reference: transformer, "@model") (reference: transformer, "@key")
    /// (reference: transformer, "@primaryKey and @index").
    private static let tables = [
        Entry(
            name: "model", versions: both,
            definition: """
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
                """, support: .conditional),
        Entry(
            name: "key", versions: [.v1],
            definition: "directive @key(name: String, fields: [String!]!, queryField: String) repeatable on OBJECT",
            support: .same("A primary key, or an index with its query.")),
        Entry(
            name: "primaryKey", versions: [.v2],
            definition: "directive @primaryKey(sortKeyFields: [String]) on FIELD_DEFINITION",
            support: .same("The primary key of the table.")),
        Entry(
            name: "index", versions: [.v2],
            definition: """
                directive @index(name: String, sortKeyFields: [String], queryField: String) repeatable on FIELD_DEFINITION
                """, support: .same("An index with its query.")),
        Entry(
            name: "versioned", versions: [.v1],
            definition: """
                directive @versioned(
                  versionField: String = "version", versionInput: String = "expectedVersion"
                ) on OBJECT
                """, support: .notServed("Without it the last write wins.")),
        Entry(
            name: "searchable", versions: both,
            definition: """
                directive @searchable(queries: SearchableQueryMap) on OBJECT
                input SearchableQueryMap { search: String }
                """, support: .notServed("Lists take a filter, and a @key gives an index.")),
    ]

    /// (reference: transformer, "@connection") (reference: transformer, "Relations of version 2").
    private static let relations = [
        Entry(
            name: "connection", versions: [.v1],
            definition: """
                directive @connection(
                  name: String, keyField: String, sortField: String, keyName: String, limit: Int, fields: [String!]
                ) on FIELD_DEFINITION
                """, support: .same("Items of another model, found by a key."), isRelation: true),
        Entry(
            name: "hasOne", versions: [.v2],
            definition: "directive @hasOne(fields: [String!], references: [String!]) on FIELD_DEFINITION",
            support: .same("One item of another model, found by its primary key or by its references."),
            isRelation: true),
        Entry(
            name: "hasMany", versions: [.v2],
            definition: """
                directive @hasMany(
                  indexName: String, fields: [String!], references: [String!], limit: Int = 100
                ) on FIELD_DEFINITION
                """, support: .same("A page of another model's items, found by an index."), isRelation: true),
        Entry(
            name: "belongsTo", versions: [.v2],
            definition: "directive @belongsTo(fields: [String!], references: [String!]) on FIELD_DEFINITION",
            support: .same("One item of another model, found by its primary key."), isRelation: true),
        Entry(
            name: "manyToMany", versions: [.v2],
            definition: "directive @manyToMany(relationName: String!, limit: Int = 100) on FIELD_DEFINITION",
            support: .same("A page of a join model's items, which is generated with its two indexes."),
            isRelation: true),
    ]

    /// (reference: transformer, "@default, @mapsTo and @refersTo").
    private static let mappings = [
        Entry(
            name: "default", versions: [.v2], definition: "directive @default(value: String!) on FIELD_DEFINITION",
            support: .same("Create fills the value in where none is given.")),
        Entry(
            name: "mapsTo", versions: [.v2], definition: "directive @mapsTo(name: String!) on OBJECT",
            support: .same("The table keeps its name and its data.")),
        Entry(
            name: "refersTo", versions: [.v2],
            definition: "directive @refersTo(name: String!) on OBJECT | FIELD_DEFINITION",
            support: .different(
                "It names the table or attribute that is stored; Amplify knows it for SQL databases only.")),
    ]

    /// (reference: authorization, "Rules as values").
    private static let rules = [
        Entry(
            name: "auth", versions: both,
            definition: """
                directive @auth(rules: [AuthRule!]!) on OBJECT | FIELD_DEFINITION
                input AuthRule {
                  allow: AuthStrategy! provider: AuthProvider identityField: String identityClaim: String
                  groupClaim: String ownerField: String groupsField: String groups: [String]
                  operations: [ModelOperation] queries: [ModelQuery] mutations: [ModelMutation]
                }
                enum AuthStrategy { owner groups private public }
                enum AuthProvider { apiKey iam oidc userPools }
                enum ModelOperation { create update delete read }
                enum ModelQuery { get list }
                enum ModelMutation { create update delete }
                """,
            versionTwoDefinition: """
                directive @auth(rules: [AuthRule!]!) on OBJECT | FIELD_DEFINITION
                input AuthRule {
                  allow: AuthStrategy! provider: AuthProvider identityClaim: String groupClaim: String
                  ownerField: String groupsField: String groups: [String] operations: [ModelOperation]
                }
                enum AuthStrategy { owner groups private public custom }
                enum AuthProvider { apiKey iam identityPool oidc userPools function }
                enum ModelOperation { create update delete read get list sync listen search }
                """, support: .conditionalRules)
    ]

    /// (reference: transformer, "@function").
    private static let functions = [
        Entry(
            name: "function", versions: both,
            definition: """
                directive @function(name: String!, region: String) repeatable on FIELD_DEFINITION
                """,
            versionTwoDefinition: """
                directive @function(name: String!, region: String, accountId: String) repeatable on FIELD_DEFINITION
                """, support: .conditional),
        Entry(
            name: "http", versions: both,
            definition: """
                directive @http(
                  method: HttpMethod = GET, url: String!, headers: [HttpHeader] = []
                ) on FIELD_DEFINITION
                enum HttpMethod { GET POST PUT DELETE PATCH }
                input HttpHeader { key: String value: String }
                """, support: .notServed("No handlers are called yet.")),
        Entry(
            name: "predictions", versions: both,
            definition: """
                directive @predictions(actions: [PredictionsActions!]!) on FIELD_DEFINITION
                enum PredictionsActions { identifyText identifyLabels convertTextToSpeech translateText }
                """, support: .notServed("No handlers are called yet.")),
    ]

    /// The directives of AppSync and of GraphQL (reference: authorization, "Service directives").
    private static let service =
        [
            service("aws_subscribe", .conditional),
            service("aws_api_key", .same("Callers with an API key pass.")),
            service("aws_iam", .same("Callers who sign their requests pass.")),
            service("aws_oidc", .same("Callers with a token of an OpenID Connect provider pass.")),
            service("aws_cognito_user_pools", .same("Users of the user pool pass, or those of its groups.")),
            service("aws_lambda", .same("Callers whose token the authorizer function accepts pass.")),
            service("aws_auth", .same("Users of its groups pass, where the user pool is the only mode.")),
            service("deprecated", .same("Introspection shows it.")),
            service("specifiedBy", .same("Introspection shows it."), isPrinted: false),
        ]

    private static func service(_ name: String, _ support: Support, isPrinted: Bool = true) -> Entry {
        Entry(name: name, versions: both, definition: nil, support: support, isPrinted: isPrinted)
    }

    // MARK: - What is read from it

    /// What the author's schema may use without defining it: the served directives of its version, and those of the
    /// service itself. `@auth` and the directives that are not served are taken out before validation.
    static func prelude(of version: TransformOptions.TransformerVersion) -> TypeSystemDocument {
        version == .v2 ? preludeTwo : preludeOne
    }

    private static let preludeOne = makePrelude(of: .v1)
    private static let preludeTwo = makePrelude(of: .v2)

    private static func makePrelude(of version: TransformOptions.TransformerVersion) -> TypeSystemDocument {
        let served = all.filter { entry in
            switch entry.support {
            case .same, .different, .conditional: entry.versions.contains(version)
            case .conditionalRules, .notServed: false
            }
        }
        return TypeSystemDocument(
            StandardDefinitions.directives.definitions
                + served.flatMap { definitions($0.definition(in: version) ?? "") })
    }

    private static func definitions(_ text: String) -> [TypeSystemDefinition] {
        Parser.parseTypeSystem([Source(text, name: "directives")], keepingPlaces: false).document.definitions
    }

    /// An input type or enum that only one directive uses: `AuthRule` of `@auth`.
    static func type(named name: String, in version: TransformOptions.TransformerVersion) -> TypeDefinition? {
        (version == .v2 ? typesTwo : typesOne)[name]
    }

    private static let typesOne = makeTypes(of: .v1)
    private static let typesTwo = makeTypes(of: .v2)

    private static func makeTypes(of version: TransformOptions.TransformerVersion) -> [String: TypeDefinition] {
        var types: [String: TypeDefinition] = [:]
        for entry in all {
            for case .type(let type) in definitions(entry.definition(in: version) ?? "") { types[type.name] = type }
        }
        return types
    }

    /// Reports every directive that is known and not served, and takes it out of the document, so that validation
    /// reports only the rest.
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
        if case .notServed(let hint)? = Directives[name]?.support { hint } else { nil }
    }

    /// The directives that the generated schema keeps (reference: transformer, "Printed schema").
    static let printed = Set(all.filter(\.isPrinted).map(\.name))
}
