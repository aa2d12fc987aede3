/// The bounds of what is read of a project.
enum ProjectLimits {
    /// The largest file, in bytes.
    static let fileBytesMax = 16 << 20
    /// How deep arrays and objects may be inside one another in a file.
    static let depthMax = 64
    /// The most resources of all categories together.
    static let resourcesMax = 1_000
    /// The most files that are listed in one folder and in those below it.
    static let listedFilesMax = 10_000
    /// How many folders deep a list goes.
    static let folderDepthMax = 16
}
