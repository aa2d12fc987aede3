import JSON

/// transform.conf.json of Amplify (reference: amplify-project, "Transformer configuration"): `transformConfig` of the
/// configuration, or the file itself beside a schema.
enum TransformConfig {
    static let fileName = "transform.conf.json"

    /// What concerns deployments only.
    private static let unused = [
        "ElasticsearchWarning", "StackMapping", "TransformerOptions", "DisableResolverOverrides",
        "DisableResolverDeduping", "Migration",
    ]

    /// Reads `transformConfig`.
    static func read(_ section: ConfigurationSection, into configuration: inout Configuration) {
        if let version = section.value("Version") { check(version, of: section) }
        readRest(of: section, into: &configuration)
        section.finish()
    }

    /// Reads the file of an Amplify project.
    ///
    /// - Parameter ignoresVersion: Whether the configuration says the version in the file's place.
    static func readFile(
        _ section: ConfigurationSection, ignoresVersion: Bool, into configuration: inout Configuration
    ) {
        let version = section.value("Version")
        if !ignoresVersion { check(version, of: section) }
        readRest(of: section, into: &configuration)
        section.finish(asWarnings: true)
    }

    private static func readRest(of section: ConfigurationSection, into configuration: inout Configuration) {
        configuration.readResolverConfig(section.section("ResolverConfig"))
        if let transformers = section.value("transformers") {
            let names = (transformers.arrayValue ?? [transformers]).map { $0.stringValue ?? $0.description }
            for name in names {
                section.reportNotServed(
                    "transformers", "The custom transformer \(name)", hint: "Write what it generates into the schema.")
            }
        }
        for key in unused where section.value(key) != nil { section.noteUnused(key) }
    }

    /// Version 5 is the only one; a file without a version is of version 4 or older.
    private static func check(_ version: JSONValue?, of section: ConfigurationSection) {
        guard version != 5 else { return }
        let name = version.map { "Version \($0) of the transformer's configuration" } ?? "A file without a Version"
        let isNewer = (version?.intValue ?? 0) > 5
        section.report(
            "Version", "\(name) is not served.",
            hint: isNewer
                ? "Write \"Version\": 5."
                : "Write \"Version\": 5. Its mutations take a `condition`, and its filters are of other names, for "
                    + "example ModelStringInput in place of ModelStringFilterInput: generate the code of clients that "
                    + "use those names again, from 'syncline schema print'.")
    }
}
