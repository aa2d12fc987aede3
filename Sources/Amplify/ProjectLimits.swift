/// The bounds of what is read of a project.
enum ProjectLimits {
    /// The largest file, in bytes.
    static let fileBytesMax = 16 << 20
    /// The largest source file that is searched for a schema, in bytes.
    static let sourceBytesMax = 1 << 20
    /// All files that are read together, in bytes.
    static let bytesTotalMax = 128 << 20
    /// How deep arrays and objects may be inside one another in a file.
    static let depthMax = 64
    /// The most resources of all categories together.
    static let resourcesMax = 1_000
    /// The longest name of a region, in bytes.
    static let regionBytesMax = 32
    /// The longest message, in bytes.
    static let messageBytesMax = 1_024
    /// The longest name of a resource or of a project, in bytes.
    static let nameBytesMax = 128
    /// The most models with a conflict resolution of their own.
    static let modelStrategiesMax = 2_000
    /// The most groups of a user pool. Cognito has this quota, too.
    static let groupsMax = 10_000
    /// The most files that are listed in one folder and in those below it.
    static let listedFilesMax = 10_000
    /// How many folders deep a list goes.
    static let folderDepthMax = 16
    /// The most errors, and the most warnings, that are reported, and the most rows of the report.
    static let findingsMax = 1_000
    /// The longest name of an environment, in bytes.
    static let environmentBytesMax = 64
    /// The most environments whose ids are compared with those of a client file.
    static let comparedEnvironmentsMax = 32
    /// The most GraphQL APIs of each of them.
    static let comparedAPIsMax = 8
}
