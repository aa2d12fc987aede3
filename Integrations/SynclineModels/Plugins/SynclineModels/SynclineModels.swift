import Foundation
import PackagePlugin

/// Generates the models of `schema.graphql` before each build of a target that has the plugin, into the build folder.
///
/// The schema is looked for in the target's folder (`schema.graphql`, then `amplify/backend/api/*/`), then in the package's;
/// in an Xcode project, in the project's folder only. The flags of cli.json count where the folder holds an Amplify project.
/// The options of `syncline codegen models` may stand in `syncline-models.txt` beside the schema, separated by whitespace.
@main
struct SynclineModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        try commands(
            folders: [target.directory.string, context.package.directory.string],
            work: context.pluginWorkDirectory, name: target.name)
    }

    private static let optionsFile = "syncline-models.txt"

    func commands(folders: [String], work: Path, name: String) throws -> [Command] {
        guard let (schema, project) = Self.schema(in: folders) else {
            Diagnostics.error(
                "\(name) has no schema: none of \(folders.joined(separator: ", ")) has a schema.graphql or amplify/.")
            return []
        }
        guard let binary = Self.binary else {
            Diagnostics.error("syncline is not installed: name the binary in the environment variable SYNCLINE.")
            return []
        }
        let output = work.appending("Models")
        let beside = URL(fileURLWithPath: schema).deletingLastPathComponent()
            .appendingPathComponent(Self.optionsFile)
        let options = (try? String(contentsOf: beside, encoding: .utf8))?.split(whereSeparator: \.isWhitespace)
        return [
            .prebuildCommand(
                displayName: "Models of \(schema)", executable: Path(binary),
                // The list is no source: in the folder it would become a resource of the target.
                arguments: [
                    "codegen", "models", "--target", "swift", "--schema", schema, "--out", output.string, "--list",
                    work.appending("models.json").string,
                ] + project + (options ?? []).map(String.init),
                outputFilesDirectory: output)
        ]
    }

    /// The schema, and the options by which it is read as that of its Amplify project. The build's folder is none of it.
    private static func schema(in folders: [String]) -> (path: String, project: [String])? {
        let files = FileManager.default
        for folder in folders {
            let markers = ["amplify/.config/project-config.json", "amplify/backend/backend-config.json"]
            let isProject = markers.contains { files.fileExists(atPath: "\(folder)/\($0)") }
            let project = isProject ? ["--amplify", folder] : []
            let plain = "\(folder)/schema.graphql"
            if files.fileExists(atPath: plain) { return (plain, project) }
            // amplify/backend/api/NAME/schema.graphql, or a folder of files called schema.
            let apis = "\(folder)/amplify/backend/api"
            for api in ((try? files.contentsOfDirectory(atPath: apis)) ?? []).sorted() {
                for name in ["schema.graphql", "schema"] {
                    let path = "\(apis)/\(api)/\(name)"
                    if files.fileExists(atPath: path) { return (path, project + (isProject ? ["--api", api] : [])) }
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
