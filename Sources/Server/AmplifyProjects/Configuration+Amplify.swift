import Amplify
import Transformer

extension Configuration {
    /// The Amplify project's environment, where one is served.
    public var amplifyEnvironment: String? { amplify?.environment }

    /// The environment's name, where there is one: that of the Amplify project, or `environmentName`.
    public var environment: String? { amplifyEnvironment ?? environmentName }

    /// What `dev` says of the Amplify project: the counts, and what is not served as at Amplify.
    public var amplifyLines: [String] { amplify?.reportLines(isWhole: false) ?? [] }

    /// What a project decides beside the settings in the file.
    mutating func apply(_ project: AmplifyProject, prefix: String, _ texts: SettingTexts) {
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
