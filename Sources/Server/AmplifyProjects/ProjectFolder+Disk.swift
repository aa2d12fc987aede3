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
        // A link may not lead to what the project does not hold.
        @Sendable func isInside(_ real: String) -> Bool { base.map { Files.isInside(real, $0) } ?? false }
        return ProjectFolder(
            prefix: prefix,
            kind: { path in
                guard let real = Files.realPath(full(path)) else { return nil }
                guard isInside(real) else { return .outside }
                return Files.isFolder(real) ? .folder : .file
            },
            read: { (path, bytesMax) throws(ProjectFolder.Failure) in
                guard let real = Files.realPath(full(path)) else {
                    throw ProjectFolder.Failure(reason: "No such file or directory")
                }
                guard isInside(real) else {
                    throw ProjectFolder.Failure(reason: "It is a link that leaves the project")
                }
                do throws(Files.Failure) {
                    return try Files.read(real, bytesMax: bytesMax)
                } catch {
                    throw ProjectFolder.Failure(reason: error.reason)
                }
            },
            names: { path in (try? Files.names(inFolder: full(path))) ?? [] },
            identity: { path in Files.realPath(full(path)) ?? path },
            modifiedSeconds: { path in Files.fingerprint(full(path))?.modifiedSeconds ?? 0 })
    }
}
