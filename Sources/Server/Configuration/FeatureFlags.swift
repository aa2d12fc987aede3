import GraphQL
import JSON
import Transformer

/// The feature flags of an Amplify project's cli.json: matched without regard to case, bare or as in a real cli.json,
/// where they stand under `features.graphqltransformer`. An absent flag has the default of a new project.
enum FeatureFlags {
    private typealias Effect = @Sendable (inout TransformOptions, Bool) -> Void

    /// The flags that this version acts upon.
    private static let served: [(name: String, effect: Effect)] = [
        ("improvePluralization", { $0.improvePluralization = $1 }),
        ("addMissingOwnerFields", { $0.addMissingOwnerFields = $1 }),
        ("validateTypeNameReservedWords", { $0.validateTypeNameReservedWords = $1 }),
        ("skipOverrideMutationInputTypes", { $0.skipOverrideMutationInputTypes = $1 }),
        ("secondaryKeyAsGSI", { $0.secondaryKeyAsGSI = $1 }),
        ("enableAutoIndexQueryNames", { $0.enableAutoIndexQueryNames = $1 }),
        (
            "respectPrimaryKeyAttributesOnConnectionField",
            { $0.respectPrimaryKeyAttributesOnConnectionField = $1 }
        ),
        ("shouldDeepMergeDirectiveConfigDefaults", { $0.shouldDeepMergeDirectiveConfigDefaults = $1 }),
    ]

    /// Flags of the GraphQL transformer that are known and have no effect on what is served here.
    private static let unused = [
        "useExperimentalPipelinedTransformer", "enableIterativeGSIUpdates", "suppressSchemaMigrationPrompt",
        "securityEnhancementNotification", "showFieldAuthNotification", "useSubUsernameForDefaultIdentityClaim",
        "useFieldNameForPrimaryKeyConnectionField", "populateOwnerFieldForStaticGroupAuth",
        "subscriptionsInheritPrimaryAuth", "enableGen2Migration",
    ]

    /// The other groups of a cli.json: they concern the command line and the generators of Amplify.
    private static let unusedGroups = [
        "frontend-ios", "auth", "codegen", "appsync", "latestregionsupport", "project",
    ]

    private static let version = "transformerVersion"

    /// Reads `featureFlags` into `options`; a `transformerVersion` among the flags counts when there is none above.
    static func read(_ section: ConfigurationSection, into options: inout TransformOptions, versionIsGiven: Bool) {
        for key in section.object.keys {
            switch key.lowercased() {
            case "features": readGroups(section.section(key), into: &options, versionIsGiven: versionIsGiven)
            case "debug", "overrides": _ = section.value(key)
            default: readFlag(key, of: section, into: &options, versionIsGiven: versionIsGiven)
            }
        }
    }

    private static func readGroups(
        _ groups: ConfigurationSection, into options: inout TransformOptions, versionIsGiven: Bool
    ) {
        for key in groups.object.keys {
            if key.lowercased() == "graphqltransformer" {
                let flags = groups.section(key)
                for flag in flags.object.keys {
                    readFlag(flag, of: flags, into: &options, versionIsGiven: versionIsGiven)
                }
            } else if unusedGroups.contains(key.lowercased()) {
                groups.findings.notes.append("\(groups.name(key)) is accepted and has no effect.")
            } else {
                groups.report(
                    key, "Unknown group of feature flags '\(key)'.",
                    hint: SuggestionList.hint(for: key, among: ["graphqltransformer"] + unusedGroups))
            }
        }
    }

    private static func readFlag(
        _ key: String, of section: ConfigurationSection, into options: inout TransformOptions, versionIsGiven: Bool
    ) {
        let name = key.lowercased()
        if let flag = served.first(where: { $0.name.lowercased() == name }) {
            if let value = section.bool(key) { flag.effect(&options, value) }
        } else if name == version.lowercased() {
            let given = TransformerVersions.read(key, of: section)
            if !versionIsGiven, let given { options.transformerVersion = given }
        } else if unused.contains(where: { $0.lowercased() == name }) {
            section.findings.notes.append("The feature flag \(key) is accepted and has no effect.")
        } else {
            let known = served.map(\.name) + [version] + unused
            section.report(
                key, "Unknown feature flag '\(key)'.", hint: SuggestionList.hint(for: key, among: known))
        }
    }
}

/// `transformerVersion`: 1, 2, or "auto", which tells it from the directives.
enum TransformerVersions {
    static func read(_ key: String, of section: ConfigurationSection) -> TransformOptions.TransformerVersion? {
        switch section.value(key) {
        case nil: return nil
        case .number("1"): return .v1
        case .string("auto"): return .automatic
        case .number("2"): return .v2
        case let value?: section.report(key, "'\(section.name(key))' is 1, 2 or \"auto\", and not \(value).")
        }
        return nil
    }
}
