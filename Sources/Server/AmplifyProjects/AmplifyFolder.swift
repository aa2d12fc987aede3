import Amplify

/// The folder `amplify/` of an Amplify project, in which nothing is ever written.
public enum AmplifyFolder {
    /// Throws if a folder or file that is to be written is in the `amplify/` of a project.
    ///
    /// - Parameter option: What names the path, such as `--out`.
    public static func refuseWriting(to path: String, of option: String) throws(ServerError) {
        guard contains(path) else { return }
        throw ServerError(
            .usage, "\(option): \(path) is in the folder amplify/ of an Amplify project, where nothing is written.",
            hint: "Name a folder beside amplify/.")
    }

    /// Whether a path, which need not exist, leads into the `amplify/` of a project, or to that folder itself.
    static func contains(_ path: String) -> Bool {
        var folder = resolved(path)
        while folder != "/", folder != "." {
            let parent = Files.folder(of: folder)
            if folder.split(separator: "/").last == "amplify", AmplifyDetection.isProject(parent) { return true }
            folder = parent
        }
        return false
    }

    /// The path from the root, without links as far as it exists.
    private static func resolved(_ path: String) -> String {
        var existing = SchemaFiles.withoutSlash(Files.absolute(path))
        var missing: [Substring] = []
        while existing != "/", existing != ".", Files.realPath(existing) == nil {
            missing.insert(
                existing[existing.index(after: existing.lastIndex(of: "/") ?? existing.startIndex)...], at: 0)
            existing = Files.folder(of: existing)
        }
        var result = Files.realPath(existing) ?? "/"
        for name in missing where name != "." && !name.isEmpty {
            result = name == ".." ? Files.folder(of: result) : Files.path(String(name), in: result)
        }
        return result
    }
}
