import Amplify
import JSON

/// Finds the Amplify project that is served: the one that is named, or that of the working folder, or for its author also that
/// of a folder above.
struct AmplifyDetection {
    /// The folder that holds `amplify/`.
    let root: String
    /// What stands before a path of the project, seen from the working folder.
    let prefix: String

    /// Looks for a project; nil where there is none or none is wanted.
    init?(_ texts: SettingTexts, _ file: JSONObject?) throws(ServerError) {
        let isOff = texts.isSet(.noAmplify)
        if let path = texts.given(.amplify)?.texts.last, !isOff {
            let trimmed = SchemaFiles.withoutSlash(path)
            let candidates =
                [trimmed] + (trimmed.split(separator: "/").last == "amplify" ? [Files.folder(of: trimmed)] : [])
            guard let root = candidates.first(where: { Self.isProject($0) || Self.hasOutputs($0) }) else {
                throw ServerError(
                    .invalid, "There is no Amplify project in \(path).",
                    hint: "Name the folder that holds amplify/, with amplify/backend/backend-config.json in it.")
            }
            (self.root, prefix) = (root, root == "." ? "" : "\(root)/")
            return
        }
        guard !isOff, file?["amplify"]?.boolValue != false else { return nil }
        try Self.checkWorkingFolder()
        guard let above = Self.pathAbove(looksUp: Self.looksUp(texts, file)) else {
            guard texts.given(.schema) == nil, file?["schema"] == nil, Self.isOutputsAlone(".") else { return nil }
            (root, prefix) = (".", "")
            return
        }
        (root, prefix) = (above.isEmpty ? "." : String(above.dropLast()), above)
    }

    /// Throws if it is not known whether the working folder has a project: another schema that may be there is not served in
    /// its place, by other rules.
    private static func checkWorkingFolder() throws(ServerError) {
        for marker in AmplifyProject.markers + AmplifyProject.markersOfGen2 {
            guard let problem = Files.problemFinding(marker) else { continue }
            throw ServerError(
                .invalid, "Cannot read \(marker): \(problem).",
                hint: "Allow this user to read amplify/, or serve without it with \(Setting.noAmplify.flag).")
        }
    }

    /// The way from the working folder to the project's: empty, `../` or `../../`; nil where there is none up to the folder of
    /// a repository or the user's own.
    ///
    /// A project above is used only if no other user can have put it there, as in a folder for temporary files.
    ///
    /// - Parameter looksUp: Whether folders above the working folder are looked at.
    private static func pathAbove(looksUp: Bool) -> String? {
        let home = Environment.value("HOME")
        var folder = Files.absolute(".")
        if folder.hasSuffix("/.") { folder = String(folder.dropLast(2)) }
        var above = ""
        for _ in 0..<foldersMax {
            if isProject(folder) { return above.isEmpty || isOwn(folder) ? above : nil }
            guard looksUp, folder != home, !folder.isEmpty, folder != "/", !Files.exists(Files.path(".git", in: folder))
            else {
                return nil
            }
            folder = Files.folder(of: folder)
            above += "../"
        }
        return nil
    }

    /// The folder of a project above the working folder that `dev` would take and `serve` does not; nil where there is none.
    static var projectAbove: String? {
        pathAbove(looksUp: true).flatMap { $0.isEmpty ? nil : SchemaFiles.withoutSlash($0) }
    }

    /// Whether projects above the working folder are looked for: not for callers, who must not depend on where the folder stands,
    /// and not where the folder has a configuration or a schema of its own, unless that configuration asks for a project.
    private static func looksUp(_ texts: SettingTexts, _ file: JSONObject?) -> Bool {
        guard texts.purpose != .serve else { return false }
        guard file?["amplify"] == nil else { return true }
        return !Files.exists(Configuration.defaultFile) && !SchemaLocation().paths.contains(where: Files.exists)
    }

    /// Whether only this user may have written the project in a folder.
    private static func isOwn(_ folder: String) -> Bool {
        [folder, Files.path("amplify", in: folder)].allSatisfy(Files.isOwn)
    }

    /// The projects in folders below the working folder, which are never picked by themselves.
    static func projectsBelow() -> [String] {
        var (found, folders, seenCount) = ([String](), [(path: "", depth: 0)], 0)
        while let (path, depth) = folders.popLast() {
            seenCount += 1
            guard seenCount <= foldersBelowMax, found.count < projectsBelowMax else { break }
            if depth > 0, isProject(path) { found.append(path) }
            guard depth < depthBelowMax else { continue }
            for name in (try? Files.names(inFolder: path.isEmpty ? "." : path)) ?? []
            where !name.hasPrefix(".") && !skipped.contains(name) {
                let inner = Files.path(name, in: path)
                if Files.isFolder(inner) { folders.append((inner, depth + 1)) }
            }
        }
        return found.sorted()
    }

    /// Folders of tools, which hold copies of others' projects.
    private static let skipped: Set = ["node_modules", "Pods", "build", "DerivedData"]
    /// How deep projects are looked for below the working folder.
    private static let depthBelowMax = 3
    /// How many folders are looked at below the working folder, and how many projects are listed.
    private static let (foldersBelowMax, projectsBelowMax) = (2_000, 10)

    /// How many folders are looked at upwards.
    private static let foldersMax = 32

    /// What is said of a folder `amplify/` in the working folder that is no project; nil where there is none, or where no project is
    /// wanted.
    static func unrecognized(_ texts: SettingTexts, _ file: JSONObject?) -> String? {
        guard !texts.isSet(.noAmplify), texts.given(.amplify) == nil, file?["amplify"]?.boolValue != false,
            Files.isFolder("amplify"), !isProject(".")
        else { return nil }
        let markers = [AmplifyProject.markers, AmplifyProject.markersOfGen2].map { $0.joined(separator: " or ") }
        return
            "The folder amplify/ is ignored: it is no Amplify project, neither of Gen 1, which has \(markers[0]), nor of "
            + "Gen 2, which has \(markers[1])."
    }

    static func isProject(_ folder: String) -> Bool {
        (AmplifyProject.markers + AmplifyProject.markersOfGen2).contains { Files.exists(Files.path($0, in: folder)) }
    }

    /// Whether a folder is a project of Gen 2.
    static func isGen2(_ folder: String) -> Bool {
        func has(_ markers: [String]) -> Bool { markers.contains { Files.exists(Files.path($0, in: folder)) } }
        return has(AmplifyProject.markersOfGen2) && !has(AmplifyProject.markers)
    }

    /// Whether a folder has the client file of Gen 2, with the models in it. One that 'syncline pull' has written is none of a
    /// project.
    private static func hasOutputs(_ folder: String) -> Bool {
        guard let bytes = try? Files.read(Files.path(AmplifyProject.outputs, in: folder), bytesMax: 16 << 20),
            let value = try? JSONReader.readRelaxed(bytes)
        else { return false }
        return value["data"]?["model_introspection"]?.objectValue != nil && !AmplifyProject.isOfServer(outputs: value)
    }

    /// Whether its client file is all that a folder has of a project of Gen 2.
    static func isOutputsAlone(_ folder: String) -> Bool {
        !Files.exists(Files.path("schema.graphql", in: folder)) && hasOutputs(folder)
    }

    /// Reads the project as far as it can be read, and says all that is wrong with it.
    func read(_ texts: SettingTexts, _ file: JSONObject?) -> (project: AmplifyProject?, error: ServerError?) {
        let (project, error) = examine(prefix: prefix, texts, file)
        return (error?.isUsage == true ? nil : project, error.map { ServerError($0) })
    }

    /// Reads the project as far as it can be read.
    ///
    /// - Parameters:
    ///   - prefix: What messages and settings write before a path of the project.
    ///   - file: The configuration file, which overrides the project.
    func examine(
        prefix: String, _ texts: SettingTexts, _ file: JSONObject?
    ) -> (project: AmplifyProject, error: ProjectError?) {
        let asked = file?["amplify"]
        let environment =
            texts.given(.environment)?.texts.last ?? asked?["environment"]?.stringValue ?? texts.pinnedEnvironment
        let options = ReadingOptions(
            purpose: ReadingOptions.Purpose(texts.purpose), environment: environment,
            api: texts.given(.api)?.texts.last ?? asked?["api"]?.stringValue,
            variables: texts.amplifyVariables, overrides: file ?? [:],
            allowsExpiredKeys: texts.isSet(.allowExpiredKeys),
            ignoresCustomTransformers: texts.isSet(.ignoreCustomTransformers),
            nowMilliseconds: Moment.now.milliseconds)
        return AmplifyProject.examine(ProjectFolder.onDisk(root, prefix: prefix), options)
    }
}

extension ReadingOptions.Purpose {
    fileprivate init(_ purpose: SettingTexts.Purpose) {
        switch purpose {
        case .develop: self = .develop
        case .serve: self = .serve
        case .importing: self = .importing
        }
    }
}

extension ServerError {
    /// All that is wrong with an Amplify project.
    init(_ error: ProjectError) { self.init(error.isUsage ? .usage : .invalid, error.diagnostics) }
}
