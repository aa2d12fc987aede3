import Amplify
public import Transformer

extension Configuration {
    /// The Amplify project's environment, where one is served.
    public var amplifyEnvironment: String? { amplify?.environment }

    /// Whether an Amplify project of Gen 2 is served.
    public var isOfGen2: Bool { amplify?.generation == 2 }

    /// The environment's name, where there is one: that of the Amplify project, or `environmentName`.
    public var environment: String? { amplifyEnvironment ?? environmentName }

    /// Where the configuration file of the Amplify project's folder is or would be.
    var fileOfProject: String? { amplify.map { $0.prefix + Self.defaultFile } }

    /// What `dev` prints of the Amplify project: a line for each category, the counts, and what is not served as at Amplify.
    public func amplifyLines(of definition: APIDefinition) -> [String] {
        guard let amplify else { return [] }
        let version = definition.transformerVersion == .v1 ? 1 : 2
        let words =
            "version \(version), \(definition.counts), \(definition.authModes.map(\.provider.words).joined(separator: ", "))"
        return amplify.bannerLines(api: words) + amplify.reportLines(isWhole: false)
    }

    /// What `dev` prints before its first start where git would list the data folder of an Amplify project; nil otherwise.
    public var gitignoreAdvice: String? {
        guard let amplify, !data.isEphemeral, !data.isNamed, !Files.exists(data.folder) else { return nil }
        let root = amplify.prefix.isEmpty ? "." : SchemaFiles.withoutSlash(amplify.prefix)
        guard GitIgnore.lists(DataLocation().folder, in: root) else { return nil }
        return "git would list the data: add the line \(DataLocation().folder)/ to .gitignore."
    }

    /// What a project decides beside the settings in the file.
    mutating func apply(_ project: AmplifyProject, prefix: String, _ texts: SettingTexts) {
        if let (name, text) = project.schemaText, schema.paths == [name] { schema.text = text }
        if !data.isNamed {
            let usual = "\(prefix)\(DataLocation().folder)"
            let hasTables = Files.exists("\(usual)/tables.sqlite")
            data.folder = hasTables ? usual : "\(usual)/\(project.environment)"
        }
        if !project.createsAPIKey, apiKeys.configured.isEmpty { apiKeys.isClosed = true }
        let isFromProject = texts.given(.apiKey) == nil && source?.isOfProject(["apiKey"]) == true
        if isFromProject, texts.purpose == .develop, address.isLoopback { apiKeys.addsDefault = true }
    }
}
