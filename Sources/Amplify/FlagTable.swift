/// The feature flags of the Amplify CLI, with the values that an old project has where its files do not name them
/// (reference: amplify-project, "Feature flags").
public enum FlagTable {
    /// A group of flags.
    public struct Group: Sendable {
        /// Its name, as it stands in `cli.json`.
        public let name: String
        /// Its flags.
        public let flags: [Flag]

        /// A flag's group and name in lower case, as files and variables are compared with it.
        func key(of flag: Flag) -> String { "\(name).\(flag.name)".lowercased() }
    }

    /// A flag and its value where it is absent.
    public struct Flag: Sendable {
        /// Its name, as the Amplify CLI writes it.
        public let name: String
        let absent: Bool
        /// Whether the server's configuration has it, because it changes what is served, or what client code is generated.
        public let isSetting: Bool

        init(name: String, absent: Bool, isSetting: Bool = false) {
            (self.name, self.absent, self.isSetting) = (name, absent, isSetting)
        }
    }

    /// The group of the transformer's flags.
    public static let transformer = "graphqltransformer"
    /// The group of the flags of the generators of client code.
    public static let codegen = "codegen"
    /// What decides the version of the transformer: `transformerVersion` is corrected to it.
    public static let pipelined = "useExperimentalPipelinedTransformer"
    /// The version of the transformer, 1 or 2.
    public static let version = "transformerVersion"
    /// A misspelling of `validateTypeNameReservedWords` that some projects have.
    public static let misspelled = (name: "validateTypeNamesReservedWords", meant: "validateTypeNameReservedWords")
    static let pipelinedKey = "\(transformer).\(pipelined)".lowercased()
    static let versionKey = "\(transformer).\(version)".lowercased()

    /// The groups of flags that are true or false.
    public static let groups = [
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
            name: codegen,
            flags: [
                Flag(name: "useAppSyncModelgenPlugin", absent: false),
                Flag(name: "useDocsGeneratorPlugin", absent: false),
                Flag(name: "useTypesGeneratorPlugin", absent: false),
                Flag(name: "cleanGeneratedModelsDirectory", absent: false),
                Flag(name: "retainCaseStyle", absent: false),
                Flag(name: "addTimestampFields", absent: false, isSetting: true),
                Flag(name: "emitAuthProvider", absent: false, isSetting: true),
                Flag(name: "generateIndexRules", absent: false, isSetting: true),
                Flag(name: "handleListNullabilityTransparently", absent: false, isSetting: true),
                Flag(name: "enableDartNullSafety", absent: false),
                Flag(name: "generateModelsForLazyLoadAndCustomSelectionSet", absent: false, isSetting: true),
            ]),
        Group(name: "appsync", flags: [Flag(name: "generateGraphQLPermissions", absent: false)]),
        Group(name: "project", flags: [Flag(name: "overrides", absent: true)]),
        Group(
            name: "overrides", flags: ["storage", "auth", "project"].map { Flag(name: $0, absent: true) }),
        Group(name: "keytransformer", flags: [Flag(name: "defaultQuery", absent: false)]),
    ]

    /// The flags of the group `codegen` that decide what models are generated: settings of the section `codegen`.
    public static let codegenSettings = settings(of: codegen)

    /// The flags of a group that the server's configuration has.
    public static func settings(of group: String) -> [String] {
        groups.first { $0.name == group }?.flags.filter(\.isSetting).map(\.name) ?? []
    }

    /// The keys of all flags.
    static let keys = Set(groups.flatMap { group in group.flags.map(group.key(of:)) })

    /// A key of a file or a variable, `group.flag` in any letter case, in lower case and spelled as in the table.
    static func key(_ text: String) -> String {
        let key = text.lowercased()
        return key == "\(transformer).\(misspelled.name)".lowercased()
            ? "\(transformer).\(misspelled.meant)".lowercased() : key
    }

    /// The group of numbers that say in which regions a service is.
    public static let regions = "latestregionsupport"
    /// The flags of that group, 0 or 1.
    public static let regionFlags = ["pinpoint", "translate", "transcribe", "rekognition", "textract", "comprehend"]
}
