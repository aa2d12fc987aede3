import Amplify

/// The folder `amplify/` of an Amplify project, in which nothing is ever written.
public enum AmplifyFolder {
    /// Throws if a folder or file that is to be written is in the `amplify/` of a project.
    ///
    /// - Parameter option: What names the path, such as `--out`.
    public static func refuseWriting(to path: String, of option: String) throws(ServerError) {
        guard contains(path) else { return }
        throw refusal(of: path, option)
    }

    /// The same of a file that is about to be written in one step. A link of its name is replaced, and one of its folder is
    /// followed.
    ///
    /// What a path leads to may have changed since the command began, so this is called just before the file is written.
    public static func refuseWriting(file path: String, of option: String) throws(ServerError) {
        guard containsFile(path) else { return }
        throw refusal(of: path, option)
    }

    private static func refusal(of path: String, _ option: String) -> ServerError {
        ServerError(
            .usage, "\(option): \(path) is in the folder amplify/ of an Amplify project, where nothing is written.",
            hint: "Name a folder beside amplify/.")
    }

    /// Whether a file of this path is in the `amplify/` of a project, wherever a link of its name leads.
    static func containsFile(_ path: String) -> Bool { contains(Files.folder(of: path)) }

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
        var missing: [String] = []
        while existing != "/", existing != ".", Files.realPath(existing) == nil {
            missing.insert(Files.name(of: existing), at: 0)
            existing = Files.folder(of: existing)
        }
        var result = Files.realPath(existing) ?? "/"
        for name in missing where name != "." && !name.isEmpty {
            result = name == ".." ? Files.folder(of: result) : Files.path(name, in: result)
        }
        return result
    }
}
