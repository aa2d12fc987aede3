public import Tables

/// How one API wants its schema to be read: the feature flags and modes of an Amplify project.
public struct TransformOptions: Sendable, Hashable {
    /// Which generation of the directives a schema is written in.
    public enum TransformerVersion: String, Sendable, Hashable, CaseIterable {
        /// Determined by the directives: a schema that uses one of version 2's is of version 2.
        case automatic
        /// `@key`, `@connection`, `@versioned`.
        case v1
        /// `@primaryKey`, `@index`, `@hasMany` and the other directives on fields.
        case v2
    }

    /// How conflicting changes of one item are handled.
    public enum ConflictDetection: String, Sendable, Hashable, CaseIterable {
        /// The last write wins.
        case none
        /// Every item has a `_version`; clients sync.
        case version
    }

    /// How callers authenticate: the modes that an API accepts, by AppSync's `authenticationType`. Each request compares and hashes
    /// the mode of its caller, so it has no text.
    public enum AuthMode: UInt8, Sendable, Hashable, CaseIterable {
        /// A key that every client shares.
        case apiKey
        /// A signed-in user of the user pool.
        case userPools
        /// A signed request.
        case iam
        /// A token of a foreign provider.
        case oidc
        /// A token that a function accepts.
        case lambda
    }

    /// The generation of the directives.
    public var transformerVersion: TransformerVersion
    /// Whether lists are named by English plurals (`listReplies`) instead of with a bare `s` (`listReplys`).
    public var improvePluralization: Bool
    /// Whether the field that an owner rule names is added to a type that lacks it.
    public var addMissingOwnerFields: Bool
    /// Whether a model may not be called as a root type.
    public var validateTypeNameReservedWords: Bool
    /// Whether a primary `@key` leaves the input of a mutation unchanged that is not generated.
    public var skipOverrideMutationInputTypes: Bool
    /// Whether a named `@key` that shares the primary partition key is an index of its own.
    public var secondaryKeyAsGSI: Bool
    /// Whether an `@index` that names no `queryField` has a query nevertheless, `postsByAuthor` (version 2).
    public var enableAutoIndexQueryNames: Bool
    /// Whether a generated foreign key has the name and type of the key it refers to, and is not always an `ID` called
    /// `…Id` (version 2).
    public var respectPrimaryKeyAttributesOnConnectionField: Bool
    /// Whether a map of `@model` changes what it names and leaves the rest as it is by default (version 2).
    public var shouldDeepMergeDirectiveConfigDefaults: Bool
    /// Whether models without `@auth` are open to everyone who holds the API key (version 2), whatever the schema says; nil
    /// where the schema alone decides.
    public var sandboxModeEnabled: Bool?
    /// Whether the owner of an item is stored as `sub::username` where a rule names no claim (version 2).
    public var useSubUsernameForDefaultIdentityClaim: Bool
    /// Whether create fills the owner in also for callers that a rule for groups allows to create (version 2).
    public var populateOwnerFieldForStaticGroupAuth: Bool
    /// Whether fields that lead to other models are kept from subscribers only where their rules differ (version 2).
    public var subscriptionsInheritPrimaryAuth: Bool
    /// How conflicting changes of one item are handled, in the models that `modelConflictDetection` does not name.
    public var conflictDetection: ConflictDetection
    /// The same for single models, by the names of their types.
    public var modelConflictDetection: [String: ConflictDetection]
    /// Who decides a detected conflict, in the models that `modelConflictHandlers` does not name.
    public var conflictHandler: ConflictHandler
    /// The same for single models, by the names of their types.
    public var modelConflictHandlers: [String: ConflictHandler]
    /// The functions that the schema can call; nil accepts every name.
    public var functions: FunctionCatalog?
    /// The modes the API accepts; the first is the default mode.
    public var authModes: [AuthMode]
    /// Whether rules of the schema add the modes that they need and that need no configuration to `authModes`, as for
    /// developers who have not configured any mode.
    public var addsModesOfRules = false
    /// Whether users of the user pool, where it is the default mode, reach only what names their mode (AppSync:
    /// `defaultAction: DENY`).
    public var deniesByDefault = false
    /// Whether signed callers that are no identities of the identity pool have access to everything (version 2).
    public var enablesIAMAccess = false
    /// Roles of signed callers that have access to all models with rules, each by a part of its name (version 2).
    public var adminRoles: [String] = []

    /// Whether some signed callers have access beside the rules of a model.
    var grantsIAMAccess: Bool { enablesIAMAccess || !adminRoles.isEmpty }

    /// Options of a new project; name those that differ.
    public init(
        transformerVersion: TransformerVersion = .automatic, improvePluralization: Bool = false,
        addMissingOwnerFields: Bool = true, validateTypeNameReservedWords: Bool = true,
        skipOverrideMutationInputTypes: Bool = true, secondaryKeyAsGSI: Bool = true,
        enableAutoIndexQueryNames: Bool = true, respectPrimaryKeyAttributesOnConnectionField: Bool = true,
        shouldDeepMergeDirectiveConfigDefaults: Bool = true, sandboxModeEnabled: Bool? = nil,
        useSubUsernameForDefaultIdentityClaim: Bool = true, populateOwnerFieldForStaticGroupAuth: Bool = true,
        subscriptionsInheritPrimaryAuth: Bool = false, conflictDetection: ConflictDetection = .none,
        modelConflictDetection: [String: ConflictDetection] = [:], conflictHandler: ConflictHandler = .automerge,
        modelConflictHandlers: [String: ConflictHandler] = [:], functions: FunctionCatalog? = nil,
        authModes: [AuthMode] = [.apiKey]
    ) {
        self.transformerVersion = transformerVersion
        self.improvePluralization = improvePluralization
        self.addMissingOwnerFields = addMissingOwnerFields
        self.validateTypeNameReservedWords = validateTypeNameReservedWords
        self.skipOverrideMutationInputTypes = skipOverrideMutationInputTypes
        self.secondaryKeyAsGSI = secondaryKeyAsGSI
        self.enableAutoIndexQueryNames = enableAutoIndexQueryNames
        self.respectPrimaryKeyAttributesOnConnectionField = respectPrimaryKeyAttributesOnConnectionField
        self.shouldDeepMergeDirectiveConfigDefaults = shouldDeepMergeDirectiveConfigDefaults
        self.sandboxModeEnabled = sandboxModeEnabled
        self.useSubUsernameForDefaultIdentityClaim = useSubUsernameForDefaultIdentityClaim
        self.populateOwnerFieldForStaticGroupAuth = populateOwnerFieldForStaticGroupAuth
        self.subscriptionsInheritPrimaryAuth = subscriptionsInheritPrimaryAuth
        self.conflictDetection = conflictDetection
        self.modelConflictDetection = modelConflictDetection
        self.conflictHandler = conflictHandler
        self.modelConflictHandlers = modelConflictHandlers
        self.functions = functions
        self.authModes = authModes
    }

    /// How conflicting changes of one item of this model are handled.
    func conflictDetection(of model: String) -> ConflictDetection {
        modelConflictDetection[model] ?? conflictDetection
    }

    /// Who decides a conflict between two changes of one item of this model; nil where none is detected.
    func conflictHandler(of model: String) -> ConflictHandler? {
        guard conflictDetection(of: model) != .none else { return nil }
        return modelConflictHandlers[model] ?? conflictHandler
    }
}
