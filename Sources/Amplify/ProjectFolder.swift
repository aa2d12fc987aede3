/// Read access to a project's folder, on disk or in memory. Paths are relative to the folder that holds `amplify/`, with
/// `/` between names.
public struct ProjectFolder: Sendable {
    /// Why a file cannot be read.
    public struct Failure: Error, Sendable {
        /// The system's words, such as "Permission denied".
        public var reason: String

        /// A failure for this reason.
        public init(reason: String) { self.reason = reason }
    }

    /// What stands at a path.
    public enum Kind: Sendable, Hashable {
        /// A file.
        case file
        /// A folder.
        case folder
        /// A link that leads out of the project, which is never followed.
        case outside
    }

    /// What messages write before a path: empty in the project's folder, `../` in a folder below it.
    public let prefix: String
    let kind: @Sendable (String) -> Kind?
    let read: @Sendable (String, Int) throws(Failure) -> [UInt8]
    let names: @Sendable (String) -> [String]
    /// The same text for all paths of one folder, which may have several by links.
    let identity: @Sendable (String) -> String
    /// When a file was changed last, in seconds since 1970.
    let modifiedSeconds: @Sendable (String) -> Int64

    /// A folder that is read by these functions.
    ///
    /// - Parameters:
    ///   - kind: What stands at a path; nil for nothing.
    ///   - read: The bytes of a file; refuses one of more bytes than the number given.
    ///   - names: The names in a folder; none where there is no folder.
    ///   - identity: The same text for all paths of one folder, which may have several by links.
    ///   - modifiedSeconds: When a file was changed last, in seconds since 1970.
    public init(
        prefix: String, kind: @escaping @Sendable (String) -> Kind?,
        read: @escaping @Sendable (String, Int) throws(Failure) -> [UInt8],
        names: @escaping @Sendable (String) -> [String], identity: @escaping @Sendable (String) -> String = { $0 },
        modifiedSeconds: @escaping @Sendable (String) -> Int64 = { _ in 0 }
    ) {
        (self.prefix, self.kind, self.read, self.names, self.identity) = (prefix, kind, read, names, identity)
        self.modifiedSeconds = modifiedSeconds
    }

    /// A folder in memory.
    ///
    /// - Parameters:
    ///   - files: The texts of the files, by their paths.
    ///   - modifiedSeconds: When files were changed last, in seconds since 1970, by their paths.
    public init(files: [String: String], prefix: String = "", modifiedSeconds: [String: Int64] = [:]) {
        var folders: [String: Set<String>] = ["": []]
        for path in files.keys {
            var above = ""
            for name in path.split(separator: "/").map(String.init) {
                folders[above, default: []].insert(name)
                above += above.isEmpty ? name : "/\(name)"
            }
        }
        let tree = folders
        self.init(
            prefix: prefix,
            kind: { path in files[path] != nil ? .file : tree[path] != nil ? .folder : nil },
            read: { (path, bytesMax) throws(Failure) in
                guard let text = files[path] else { throw Failure(reason: "No such file or directory") }
                guard text.utf8.count <= bytesMax else { throw Failure(reason: "File too large") }
                return Array(text.utf8)
            },
            names: { path in (tree[path] ?? []).sorted() },
            modifiedSeconds: { path in modifiedSeconds[path] ?? 0 })
    }

    /// The folder as it would be without these files.
    func hiding(_ paths: Set<String>) -> ProjectFolder {
        ProjectFolder(
            prefix: prefix, kind: { [kind] in paths.contains($0) ? nil : kind($0) }, read: read, names: names,
            identity: identity, modifiedSeconds: modifiedSeconds)
    }

    func isFile(_ path: String) -> Bool { kind(path) == .file }

    func isFolder(_ path: String) -> Bool { kind(path) == .folder }
}
