import Amplify
import GraphQL
import JSON
import Transformer

/// The feature flags of an Amplify project's cli.json (reference: amplify-project, "Feature flags"): matched without
/// regard to case, bare, by group, or as in a real cli.json, where the groups stand under `features`. An absent flag
/// has the default of a new project.
///
/// All flags of the Amplify CLI are known; those that concern its command line, its generators and its deployments have
/// no effect on what is served, and some of the generators' on client code alone. One that is not known is a warning: it may be of a CLI newer than this list.
enum FeatureFlags {
    typealias Effect = @Sendable (inout TransformOptions, Bool) -> Void

    /// The flags of the transformer that this version acts upon.
    static let supported: [(name: String, effect: Effect)] = [
        ("improvePluralization", { $0.improvePluralization = $1 }),
        ("addMissingOwnerFields", { $0.addMissingOwnerFields = $1 }),
        ("validateTypeNameReservedWords", { $0.validateTypeNameReservedWords = $1 }),
        (FlagTable.misspelled.name, { $0.validateTypeNameReservedWords = $1 }),
        ("skipOverrideMutationInputTypes", { $0.skipOverrideMutationInputTypes = $1 }),
        ("secondaryKeyAsGSI", { $0.secondaryKeyAsGSI = $1 }),
        ("enableAutoIndexQueryNames", { $0.enableAutoIndexQueryNames = $1 }),
        (
            "respectPrimaryKeyAttributesOnConnectionField",
            { $0.respectPrimaryKeyAttributesOnConnectionField = $1 }
        ),
        ("shouldDeepMergeDirectiveConfigDefaults", { $0.shouldDeepMergeDirectiveConfigDefaults = $1 }),
        ("useSubUsernameForDefaultIdentityClaim", { $0.useSubUsernameForDefaultIdentityClaim = $1 }),
        ("populateOwnerFieldForStaticGroupAuth", { $0.populateOwnerFieldForStaticGroupAuth = $1 }),
        ("subscriptionsInheritPrimaryAuth", { $0.subscriptionsInheritPrimaryAuth = $1 }),
    ]

    /// Flags of the transformer that have no effect on what is served here.
    static let unused = flags(of: FlagTable.transformer).filter { name in
        name != FlagTable.pipelined && !supported.contains { $0.name == name }
    }

    private static let version = FlagTable.version
    private static let pipelined = FlagTable.pipelined
    private static let transformer = FlagTable.transformer

    /// The other groups of a cli.json, with their flags.
    private static let otherGroups: [(name: String, flags: [String])] =
        FlagTable.groups.filter { $0.name != transformer }.map { ($0.name, flags(of: $0.name)) }
        + [(FlagTable.regions, FlagTable.regionFlags)]

    private static func flags(of group: String) -> [String] {
        FlagTable.groups.first { $0.name == group }?.flags.map(\.name) ?? []
    }

    /// Members of a cli.json that are no flags.
    private static let others = ["debug", "usagetracking"]

    /// Reads `featureFlags` into `options`; the flags' version counts when there is none above.
    static func read(_ section: ConfigurationSection, into options: inout TransformOptions, versionIsGiven: Bool) {
        var version: TransformOptions.TransformerVersion?
        var isPipelined: Bool?
        for key in section.object.keys {
            if key.lowercased() == "features" {
                let groups = section.section(key)
                for key in groups.object.keys { readMember(key, of: groups, into: &options, &version, &isPipelined) }
            } else {
                readMember(key, of: section, into: &options, &version, &isPipelined)
            }
        }
        guard !versionIsGiven, let decided = isPipelined.map({ $0 ? .v2 : .v1 }) ?? version else { return }
        options.transformerVersion = decided
    }

    /// A group of flags, or a flag that stands alone.
    private static func readMember(
        _ key: String, of section: ConfigurationSection, into options: inout TransformOptions,
        _ version: inout TransformOptions.TransformerVersion?, _ isPipelined: inout Bool?
    ) {
        let name = key.lowercased()
        if name == transformer {
            let flags = section.section(key)
            for flag in flags.object.keys { readFlag(flag, of: flags, into: &options, &version, &isPipelined) }
        } else if let group = otherGroups.first(where: { $0.name == name }), section.object[key]?.objectValue != nil {
            let flags = section.section(key)
            for flag in flags.object.keys where !isFlag(flag, of: group.flags, in: flags) {
                warn(of: flag, in: flags, known: group.flags)
            }
            noteUnused(flags, of: group.flags) { section.noteUnused(key) }
        } else if others.contains(name) {
            _ = section.value(key)
        } else {
            readFlag(key, of: section, into: &options, &version, &isPipelined)
        }
    }

    /// Notes that flags of a group have no effect: all of them by `noteGroup`, unless some decide what client code is
    /// generated.
    private static func noteUnused(_ section: ConfigurationSection, of group: [String], _ noteGroup: () -> Void) {
        let unused = section.object.keys.filter { key in
            group.contains { $0.lowercased() == key.lowercased() } && !isOfCodegen(key)
        }
        guard section.object.keys.contains(where: isOfCodegen) else { return noteGroup() }
        unused.forEach(section.noteUnused)
    }

    /// Whether it is a flag that decides what client code is generated, which `CodegenFlags` reads.
    private static func isOfCodegen(_ key: String) -> Bool {
        FlagTable.codegenSettings.contains { $0.lowercased() == key.lowercased() }
    }

    private static func readFlag(
        _ key: String, of section: ConfigurationSection, into options: inout TransformOptions,
        _ version: inout TransformOptions.TransformerVersion?, _ isPipelined: inout Bool?
    ) {
        let name = key.lowercased()
        if name == Self.version.lowercased() {
            version = TransformerVersions.read(key, of: section) ?? version
        } else if name == pipelined.lowercased() {
            isPipelined = section.bool(key) ?? isPipelined
        } else if !readOption(key, of: section, into: &options, as: "The feature flag \(key)") {
            let flags = otherGroups.flatMap(\.flags)
            if isFlag(key, of: flags, in: section) {
                guard !isOfCodegen(key) else { return }
                section.findings.notes.append("The feature flag \(key) is accepted and has no effect.")
            } else {
                warn(of: key, in: section, known: supported.map(\.name) + [Self.version, pipelined] + unused + flags)
            }
        }
    }

    /// Reads a flag of the transformer, which newer projects call a parameter; false if it is none.
    static func readOption(
        _ key: String, of section: ConfigurationSection, into options: inout TransformOptions, as subject: String
    ) -> Bool {
        let name = key.lowercased()
        if let flag = supported.first(where: { $0.name.lowercased() == name }) {
            if let value = section.bool(key) { flag.effect(&options, value) }
        } else if unused.contains(where: { $0.lowercased() == name }) {
            _ = section.bool(key)
            section.findings.notes.append("\(subject) is accepted and has no effect.")
        } else {
            return false
        }
        return true
    }

    /// Whether it is one of these flags; its value is looked at. The regions' flags are numbers.
    private static func isFlag(_ key: String, of flags: [String], in section: ConfigurationSection) -> Bool {
        guard let flag = flags.first(where: { $0.lowercased() == key.lowercased() }) else { return false }
        let isRegion = otherGroups.contains { $0.name == FlagTable.regions && $0.flags.contains(flag) }
        if isRegion { _ = section.integer(key, in: 0...1) } else { _ = section.bool(key) }
        return true
    }

    private static func warn(of key: String, in section: ConfigurationSection, known: [String]) {
        _ = section.value(key)
        section.warn(
            key, "Unknown feature flag '\(key)': it has no effect.", hint: SuggestionList.hint(for: key, among: known))
    }
}
