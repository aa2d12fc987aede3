import Server

/// A path that an option names, to which files are written.
enum OutputPath {
    /// Throws if it is empty, as that of a variable which a script has not set, or in the `amplify/` of an Amplify project.
    static func check(_ path: String, of option: String) throws(ServerError) {
        try checkIsNamed(path, of: option)
        try AmplifyFolder.refuseWriting(to: path, of: option)
    }

    /// Throws if it is empty, for what reads and writes nothing.
    static func checkIsNamed(_ path: String, of option: String) throws(ServerError) {
        guard path.isEmpty else { return }
        throw ServerError(.usage, "\(option) names nothing.", hint: "The folder in which you are is '.'.")
    }
}
