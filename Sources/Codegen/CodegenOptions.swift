public import Transformer

/// The feature flags that decide what is generated, by the names that Amplify gives them.
public struct CodegenOptions: Sendable, Hashable {
    /// Version 1 or 2; `automatic` decides by the directives of the schema.
    public var transformerVersion: TransformOptions.TransformerVersion
    /// Whether models have the fields that the service fills with the times of creation and update.
    public var addTimestampFields: Bool
    /// Whether rules name their provider.
    public var emitAuthProvider: Bool
    /// Whether keys are listed as indexes.
    public var generateIndexRules: Bool
    /// Whether a list keeps its own nullability. If off, it takes that of its elements.
    public var handleListNullabilityTransparently: Bool
    /// Whether the primary key of the schema identifies an item, and not always its `id`.
    public var respectPrimaryKeyAttributesOnConnectionField: Bool
    /// Whether models name two plurals, as version 2 always has it.
    public var improvePluralization: Bool
    /// Whether relations to one item are loaded when they are first read.
    public var generateModelsForLazyLoadAndCustomSelectionSet: Bool
    /// Whether DataStore syncs the models; it refuses one-to-one connections of version 1 that are optional, or
    /// required, on both sides.
    public var isDataStoreEnabled = false

    /// The flags of a new project; the version is detected from the schema.
    public init() {
        self.init(.v2)
        transformerVersion = .automatic
    }

    /// The flags of an existing project that sets none: all are off.
    public static var existingProject: CodegenOptions {
        var options = CodegenOptions(.legacy)
        options.transformerVersion = .automatic
        return options
    }

    /// The flags of a profile.
    public init(_ profile: CodegenProfile) {
        let isLegacy = profile == .legacy
        transformerVersion = profile.version
        addTimestampFields = !isLegacy
        emitAuthProvider = !isLegacy
        generateIndexRules = !isLegacy
        handleListNullabilityTransparently = !isLegacy
        respectPrimaryKeyAttributesOnConnectionField = profile.version == .v2
        improvePluralization = false
        generateModelsForLazyLoadAndCustomSelectionSet = profile == .v2Lazy
    }

    /// The flags of the group `codegen` of a cli.json that decide what is generated.
    static let flags: [(name: String, effect: @Sendable (inout CodegenOptions, Bool) -> Void)] = [
        ("addTimestampFields", { $0.addTimestampFields = $1 }), ("emitAuthProvider", { $0.emitAuthProvider = $1 }),
        ("generateIndexRules", { $0.generateIndexRules = $1 }),
        ("handleListNullabilityTransparently", { $0.handleListNullabilityTransparently = $1 }),
        (
            "generateModelsForLazyLoadAndCustomSelectionSet",
            { $0.generateModelsForLazyLoadAndCustomSelectionSet = $1 }
        ),
    ]

    /// Sets one of those flags, which is known without regard to case.
    public mutating func setFlag(_ name: String, to value: Bool) {
        guard let flag = Self.flags.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            preconditionFailure("\(name) is a flag of client code")
        }
        flag.effect(&self, value)
    }

    var isVersionTwo: Bool { transformerVersion == .v2 }

    /// Whether custom primary keys are generated: they identify items, and foreign keys have their names and types.
    var hasCustomKeys: Bool { isVersionTwo && respectPrimaryKeyAttributesOnConnectionField }

    var isLazy: Bool { generateModelsForLazyLoadAndCustomSelectionSet }
}
