public import GraphQL
public import Tables

/// What the transform made of a schema: everything the service must know. Never changed, only replaced.
public struct APIDefinition: Sendable {
    /// The generated schema as a document; `Printer` prints it as Amplify does.
    public var document: TypeSystemDocument
    /// The schema that is served: the document, the AWS scalars and the directives.
    public var schema: Schema
    /// The types with `@model`, in document order.
    public var models: [Model] { didSet { madeAccess = nil } }
    /// The tables of the models.
    public var tables: [Table] { didSet { madeAccess = nil } }
    /// What the author declared: models, keys, relations, rules and functions.
    public var declarations: Declarations { didSet { madeAccess = nil } }
    /// The rules that every request's identity is held to (reference: authorization, "Decisions"). In version 2 what none
    /// allows is closed to everyone; in version 1 what none is about is open. Nil where nothing is asked.
    public var enforcedRules: [AuthorizationRule]? { didSet { madeAccess = nil } }
    /// Whether the schema or an option opens models without rules to callers with an API key (version 2).
    public var isSandbox = false
    /// Where the schema has the input `AMPLIFY`, if an option overrides it: models without rules are closed.
    public var overriddenSandboxPlace: Diagnostic.Place?
    /// The models that version 2 closes to everyone, because they have no rules, and no sandbox opens them to a mode of
    /// the API.
    public var closedModels: [String] = []
    /// Where the first of them is declared; nil where it is generated.
    public var closedModelPlace: Diagnostic.Place?
    /// Of `warnings`, those that name such a model.
    public var closedModelWarnings: [Diagnostic] {
        let texts = Set(closedModels.map(Self.closedModelText))
        return warnings.filter { texts.contains($0.message) }
    }

    static func closedModelText(_ model: String) -> String { "\(model) has no @auth and is closed to everyone." }

    /// Which root fields the identities of an identity pool may call by signed requests.
    public var signedAccess = SignedAccess()
    /// Whether other signed callers have access to everything (version 2).
    public var enablesIAMAccess = false
    /// Parts of the ARNs of signed callers that have access to all models with rules (version 2).
    public var adminRoles: [String] = []
    /// Whether create fills the owner in also for callers that a static role allows to create every field (version 2).
    public var populatesOwnerForStaticRoles = true
    /// Whether the results of mutations have relations whose readers differ (version 2).
    public var subscriptionsInheritPrimaryAuth = false { didSet { madeAccess = nil } }
    /// By which modes types and fields are reached.
    public var gates: ModeGates
    /// The modes that the API accepts, the default mode first.
    public var authModes: [TransformOptions.AuthMode] = [.apiKey]
    /// Warnings for the author of the schema.
    public var warnings: [Diagnostic]

    /// `versionOneAccess` and `modelAccess` as they were made; nil if what they are made of has changed since.
    private(set) var madeAccess: (versionOne: [VersionOneAccess?], versionTwo: [ModelAccess?])?
    let resolvers: [FieldName: Resolver]
    private let modelIndexes: [String: Int]

    init(
        document: TypeSystemDocument, schema: Schema, models: [Model], tables: [Table],
        declarations: Declarations, resolvers: [FieldName: Resolver],
        gates: ModeGates, warnings: [Diagnostic]
    ) {
        self.gates = gates
        self.document = document
        self.schema = schema
        self.models = models
        self.tables = tables
        self.resolvers = resolvers
        self.declarations = declarations
        self.warnings = warnings
        modelIndexes = Dictionary(
            models.indices.map { (models[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The version of the transformer that the schema is written for, `v1` or `v2`.
    public var transformerVersion: TransformOptions.TransformerVersion { declarations.version }

    /// What a field does. `nil` is a plain property of its parent; on a root type, a field that answers null.
    public func resolver(type: String, field: String) -> Resolver? {
        resolvers[FieldName(type: type, field: field)]
    }

    /// Makes `versionOneAccess` and `modelAccess` once for all that read them.
    mutating func makeAccess() { madeAccess = (makeVersionOneAccess(), makeModelAccess()) }

    /// The names of the functions that pipelines invoke.
    public var functionNames: Set<String> {
        var names: Set<String> = []
        for case .pipeline(let steps) in resolvers.values {
            for case .function(let invocation) in steps { names.insert(invocation.name) }
        }
        return names
    }

    /// The index in `models` of the model with this name.
    public func model(named name: String) -> Int? { modelIndexes[name] }

    /// How many secondary indexes the tables have.
    public var indexCount: Int { tables.reduce(0) { $0 + $1.indexes.count } }
}

extension APIDefinition {
    /// What opens the models without rules to everyone who holds an API key, as it is written in a schema of version 2.
    public static let sandboxInput = SandboxMode.line

    /// How the closed models are opened without rules of their own, as the end of a sentence; the input is a line of its own.
    public var stepsOpeningClosedModels: String { SandboxMode.steps(isSandbox: isSandbox, modes: authModes) }

    /// What a field of `Mutation` does with the items of a model; nil of another field.
    public func mutation(_ field: String) -> AuthorizationRule.Operation? {
        guard let type = schema.mutationType else { return nil }
        switch resolver(type: schema[type].name, field: field) {
        case .createItem: return .create
        case .updateItem: return .update
        case .deleteItem: return .delete
        default: return nil
        }
    }
}
