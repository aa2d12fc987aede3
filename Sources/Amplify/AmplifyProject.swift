public import Transformer

/// An Amplify project as the configuration of a server: what its files say of one environment, in the words of the
/// server's configuration file, and a report of what is served of it. Nothing is written, and nothing of it is executed.
public struct AmplifyProject: Sendable {
    /// The generation of Amplify: 1, or 2 where the backend is written in TypeScript.
    public internal(set) var generation = 1
    /// The name in `project-config.json`, or in `package.json` for Gen 2.
    public internal(set) var name = ""
    /// The client platform: `ios`, `android`, `flutter` or `javascript`; nil where no file says it.
    public internal(set) var frontend: String?
    /// The environment whose values these are.
    public internal(set) var environment = ""
    /// The environments of `team-provider-info.json`, in its order.
    public internal(set) var environments: [String] = []
    /// The region of AWS.
    public internal(set) var region = "us-east-1"
    /// The GraphQL API; nil where the project has none.
    public internal(set) var api: String?
    /// The GraphQL APIs of the project, one of which is `api`.
    public internal(set) var apis: [String] = []
    /// The user pool's resource; nil where the project has none.
    public internal(set) var auth: String?
    /// The ids that no file has, so that they are invented.
    public internal(set) var inventedIDs: Set<String> = []
    /// Whether the ids are those of AWS; otherwise apps need new client files.
    public internal(set) var hasCloudIDs = false
    /// The settings.
    public internal(set) var settings = ProjectSettings()
    /// Whether there is no `cli.json`, so that all flags are those of an old project.
    public internal(set) var lacksFlagFile = false
    /// The folder that holds `amplify/`, as seen from the working folder: empty, or ending in `/`.
    public internal(set) var prefix = ""
    /// The text of a schema that is in no file of its own, and the file that it is read from.
    public internal(set) var schemaText: (name: String, text: String)?
    /// The buckets' resource names, in the order of the settings.
    public internal(set) var bucketNames: [String] = []
    /// The functions of the project, by their resource names.
    public internal(set) var functions: [String] = []
    /// Whether an API key may be made where none is known (`CreateAPIKey`).
    public internal(set) var createsAPIKey = true
    /// Whether API keys are a mode of the API, and no file has the key of the environment.
    public internal(set) var lacksAPIKey = false
    /// The folder of the API, whose resolvers and stacks are in the report; nil where the project has no API.
    public internal(set) var apiFolder: String?
    /// Every file that was read or looked for; a change of one changes the project.
    public internal(set) var files: [String] = []
    /// What is served of each thing.
    public internal(set) var rows: [ReportRow] = []
    /// Warnings.
    public internal(set) var warnings: [Diagnostic] = []
    /// What is left to do by hand, as sentences.
    public internal(set) var tasks: [String] = []

    /// The file of a project's name, client platform and version.
    static let projectConfig = "amplify/.config/project-config.json"
    /// The file that lists the resources of a project.
    static let backendConfig = "amplify/backend/backend-config.json"
    /// By which files a folder is recognized as a project of Gen 1.
    public static let markers = [projectConfig, backendConfig]

    /// Where a folder is recognized as a project of Gen 2. It may have nothing but the file of its clients, `outputs`.
    public static let markersOfGen2 = ["amplify/backend.ts", "amplify/backend.js"]
    /// The file of the clients of Gen 2.
    public static let outputs = ProjectReader.outputs

    /// The key that `syncline dev` accepts as Amplify's mock does, and that `syncline pull` writes: no key of an environment.
    public static let keyOfMock = "da2-fakeApiId123456"

    /// Reads a project as far as it can be read, and says all that is wrong with it.
    ///
    /// - Parameter folder: The folder that holds `amplify/`.
    public static func examine(
        _ folder: ProjectFolder, _ options: ReadingOptions
    ) -> (project: AmplifyProject, error: ProjectError?) {
        let reader = ProjectReader(folder, options)
        reader.read()
        let errors = reader.errors
        return (
            reader.project, errors.isEmpty ? nil : ProjectError(isUsage: reader.isUsageError, diagnostics: errors)
        )
    }

    /// The folders of an API that hold resolvers of its own.
    public static let resolverFolders = ["resolvers", "pipelineFunctions", "functions"]
    /// What the names of resolvers end with: templates, and those in JavaScript.
    public static let resolverSuffixes = [".vtl", ".js"]

    init() {}
}
