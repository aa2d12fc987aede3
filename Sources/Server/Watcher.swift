import Amplify

/// Notices that files changed, by looking at them now and then.
///
/// Looking is portable, sees a file replaced by a rename as well as one written in place, and costs a system call for
/// each file and look. A change counts when two looks in a row agree on it, so that a file is not read half written.
public struct Watcher: Sendable {
    /// What a look sees.
    public typealias View = [String: Files.Fingerprint]

    private var reported: View
    private var last: View

    /// Starts from what is seen now.
    public init(_ view: View) {
        reported = view
        last = view
    }

    /// How long to wait between two looks.
    public static let intervalMilliseconds = 250

    /// Takes a look: true when the files differ from those last reported and have come to rest.
    public mutating func hasSettledChange(_ view: View) -> Bool {
        defer { last = view }
        guard view == last, view != reported else { return false }
        reported = view
        return true
    }

    /// Takes no notice of files that are as they were written by this process.
    public mutating func accept(_ files: View) {
        for (path, fingerprint) in files { (reported[path], last[path]) = (fingerprint, fingerprint) }
    }

    /// The present state of what a configuration is made of: its file, the schema, and what lies beside it.
    public static func view(of configuration: Configuration) -> View {
        let schema = SchemaFiles(configuration)
        let files =
            schema.files + FilesBesideSchema(schema).files
            // One of these may be made only later.
            + [configuration.file ?? Configuration.defaultFile, configuration.fileOfProject].compactMap(\.self)
            + (configuration.amplify?.files ?? [])
        return View(files.compactMap { file in Files.fingerprint(file).map { (file, $0) } }, uniquingKeysWith: { $1 })
    }
}
