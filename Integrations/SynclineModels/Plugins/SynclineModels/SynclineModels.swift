import Foundation
import PackagePlugin

/// Generates the models of an Amplify project or of `schema.graphql` before each build of a target that has the plugin, into
/// the build folder.
///
/// Both are looked for in the target's folder, then in the package's; in an Xcode project, in the project's folder only. Where a
/// folder holds an Amplify project, `syncline` reads its schema and its flags, and a `schema.graphql` beside it is not read.
/// The options of `syncline codegen models`, such as `--api NAME`, may stand in `syncline-models.txt` beside `amplify/` or the
/// schema, separated by whitespace.
@main
struct SynclineModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        try commands(
            folders: [target.directory.string, context.package.directory.string],
            work: context.pluginWorkDirectory, name: target.name)
    }

    private static let optionsFile = "syncline-models.txt"

    func commands(folders: [String], work: Path, name: String) throws -> [Command] {
        guard let source = Self.source(in: folders) else {
            Diagnostics.error(
                "\(name) has no schema: none of \(folders.joined(separator: ", ")) has a schema.graphql or amplify/.")
            return []
        }
        guard let binary = Self.binary else {
            Diagnostics.error("syncline is not installed: name the binary in the environment variable SYNCLINE.")
            return []
        }
        let output = work.appending("Models")
        let options = try? String(contentsOfFile: "\(source.folder)/\(Self.optionsFile)", encoding: .utf8)
        return [
            .prebuildCommand(
                displayName: "Models of \(source.path)", executable: Path(binary),
                // The list is no source: in the folder it would become a resource of the target.
                arguments: [
                    "codegen", "models", "--target", "swift", source.option, source.path, "--out", output.string,
                    "--list",
                    work.appending("models.json").string,
                ] + (options ?? "").split(whereSeparator: \.isWhitespace).map(String.init),
                outputFilesDirectory: output)
        ]
    }

    /// What models are generated of.
    private struct Source {
        /// `--amplify` or `--schema`.
        let option: String
        let path: String
        /// The folder of `syncline-models.txt`.
        let folder: String
    }

    /// The first Amplify project or schema. The build can run in any folder.
    private static func source(in folders: [String]) -> Source? {
        let files = FileManager.default
        let markers = [".config/project-config.json", "backend/backend-config.json", "backend.ts", "backend.js"]
        for folder in folders {
            if markers.contains(where: { files.fileExists(atPath: "\(folder)/amplify/\($0)") }) {
                return Source(option: "--amplify", path: folder, folder: folder)
            }
            if files.fileExists(atPath: "\(folder)/schema.graphql") {
                return Source(option: "--schema", path: "\(folder)/schema.graphql", folder: folder)
            }
            // A part of a project: amplify/backend/api/NAME/schema.graphql, or a folder of files called schema.
            let apis = "\(folder)/amplify/backend/api"
            for api in ((try? files.contentsOfDirectory(atPath: apis)) ?? []).sorted() {
                for name in ["schema.graphql", "schema"] where files.fileExists(atPath: "\(apis)/\(api)/\(name)") {
                    return Source(option: "--schema", path: "\(apis)/\(api)/\(name)", folder: "\(apis)/\(api)")
                }
            }
        }
        return nil
    }

    /// The installed binary: that of SYNCLINE, else where Homebrew and people install it.
    private static var binary: String? {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["SYNCLINE"] { return named }
        let home = environment["HOME"] ?? ""
        return [
            "/opt/homebrew/bin/syncline", "/usr/local/bin/syncline", "\(home)/.local/bin/syncline", "/usr/bin/syncline",
        ]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension SynclineModels: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        try commands(
            folders: [context.xcodeProject.directory.string], work: context.pluginWorkDirectory,
            name: target.displayName)
    }
}
#endif
