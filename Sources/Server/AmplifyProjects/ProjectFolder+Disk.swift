import Amplify

extension ProjectFolder {
    /// A folder on disk.
    ///
    /// - Parameters:
    ///   - root: The folder that holds `amplify/`.
    ///   - prefix: What messages write before a path.
    static func onDisk(_ root: String, prefix: String) -> ProjectFolder {
        let base = Files.realPath(root)
        @Sendable func full(_ path: String) -> String { Files.path(path, in: root) }
        return ProjectFolder(
            prefix: prefix,
            kind: { path in
                let path = full(path)
                return Files.isFolder(path) ? .folder : Files.exists(path) ? .file : nil
            },
            read: { (path, bytesMax) throws(ProjectFolder.Failure) in
                // A link may not lead to what the project does not hold.
                guard let base, let real = Files.realPath(full(path)), real.hasPrefix(base == "/" ? "/" : "\(base)/")
                else {
                    throw ProjectFolder.Failure(reason: "It is a link that leaves the project")
                }
                do throws(Files.Failure) {
                    return try Files.read(real, bytesMax: bytesMax)
                } catch {
                    throw ProjectFolder.Failure(reason: error.reason)
                }
            },
            names: { path in (try? Files.names(inFolder: full(path))) ?? [] })
    }
}
