/// The feature flags of the Amplify CLI, with the values that an old project has where its files do not name them
/// (reference: amplify-project, "Feature flags").
enum FlagTable {
    /// A group of flags.
    struct Group {
        var name: String
        var flags: [Flag]

        /// A flag's group and name in lower case, as files and variables are compared with it.
        func key(of flag: Flag) -> String { "\(name).\(flag.name)".lowercased() }
    }

    /// A flag and its value where it is absent.
    struct Flag {
        var name: String
        var absent: Bool
        /// Whether the server's configuration has it.
        var isSetting = false
    }

    static let transformer = "graphqltransformer"
    static let pipelined = "useExperimentalPipelinedTransformer"
    static let version = "transformerVersion"
    static let pipelinedKey = "\(transformer).\(pipelined)".lowercased()
    static let versionKey = "\(transformer).\(version)".lowercased()

    static let groups = [
        Group(
            name: transformer,
            flags: [
                Flag(name: "addMissingOwnerFields", absent: false, isSetting: true),
                Flag(name: "improvePluralization", absent: false, isSetting: true),
                Flag(name: "validateTypeNameReservedWords", absent: true, isSetting: true),
                Flag(name: pipelined, absent: false),
                Flag(name: "skipOverrideMutationInputTypes", absent: false, isSetting: true),
                Flag(name: "secondaryKeyAsGSI", absent: false, isSetting: true),
                Flag(name: "enableIterativeGSIUpdates", absent: false),
                Flag(name: "suppressSchemaMigrationPrompt", absent: true),
                Flag(name: "securityEnhancementNotification", absent: true),
                Flag(name: "showFieldAuthNotification", absent: true),
                Flag(name: "useSubUsernameForDefaultIdentityClaim", absent: true, isSetting: true),
                Flag(name: "useFieldNameForPrimaryKeyConnectionField", absent: false),
                Flag(name: "enableAutoIndexQueryNames", absent: false, isSetting: true),
                Flag(name: "respectPrimaryKeyAttributesOnConnectionField", absent: false, isSetting: true),
                Flag(name: "shouldDeepMergeDirectiveConfigDefaults", absent: false, isSetting: true),
                Flag(name: "populateOwnerFieldForStaticGroupAuth", absent: false, isSetting: true),
                Flag(name: "subscriptionsInheritPrimaryAuth", absent: false, isSetting: true),
                Flag(name: "enableGen2Migration", absent: false),
            ]),
        Group(name: "frontend-ios", flags: [Flag(name: "enableXcodeIntegration", absent: false)]),
        Group(
            name: "auth",
            flags: [
                "enableCaseInsensitivity", "useInclusiveTerminology", "breakCircularDependency", "useEnabledMfas",
                "forceAliasAttributes",
            ].map { Flag(name: $0, absent: false) }),
        Group(
            name: "codegen",
            flags: [
                "useAppSyncModelgenPlugin", "useDocsGeneratorPlugin", "useTypesGeneratorPlugin",
                "cleanGeneratedModelsDirectory", "retainCaseStyle", "addTimestampFields",
                "handleListNullabilityTransparently", "emitAuthProvider", "generateIndexRules", "enableDartNullSafety",
                "generateModelsForLazyLoadAndCustomSelectionSet",
            ].map { Flag(name: $0, absent: false) }),
        Group(name: "appsync", flags: [Flag(name: "generateGraphQLPermissions", absent: false)]),
        Group(name: "project", flags: [Flag(name: "overrides", absent: true)]),
        Group(
            name: "overrides", flags: ["storage", "auth", "project"].map { Flag(name: $0, absent: true) }),
    ]

    /// The keys of all flags.
    static let keys = Set(groups.flatMap { group in group.flags.map(group.key(of:)) })

    /// The group of numbers that say in which regions a service is.
    static let regions = "latestregionsupport"
    static let regionFlags = ["pinpoint", "translate", "transcribe", "rekognition", "textract", "comprehend"]
}
