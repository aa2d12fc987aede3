import Amplify
import JSON
import Tables
import Transformer

/// What the API folder of an Amplify project keeps beside its schema (reference: amplify-project, "API folder"): the
/// transformer's configuration, which is read, and logic of its own, which is not served yet and is refused rather than
/// passed over.
struct FilesBesideSchema {
    private let folders: [String]
    /// The folder whose logic the reader of an Amplify project has reported.
    private let reported: String?
    private let isOfProject: Bool
    /// The folder of the project that the schema is of, if any.
    private let base: String?

    /// - Parameters:
    ///   - reported: The folder whose resolvers and stacks have been reported.
    ///   - isOfProject: Whether the project of the files is read, roles and overrides with it.
    init(_ schema: SchemaFiles, reported: String? = nil, isOfProject: Bool = false) {
        (self.reported, self.isOfProject, base) = (reported, isOfProject, schema.base)
        var folders: [String] = []
        for folder in schema.folders where !folders.contains(folder) { folders.append(folder) }
        self.folders = folders
    }

    /// The transformer's configuration of each folder that has one.
    var transformConfigs: [String] { paths(of: TransformConfig.fileName) }

    /// All that changes what is served.
    var files: [String] {
        transformConfigs + templates(in: folders) + stacks(in: folders) + paths(of: "schema.sql.graphql")
    }

    /// What is not served: files that give fields other answers than the generated ones.
    var errors: [Diagnostic] {
        let others = folders.filter { $0 != reported }
        func notServed(_ message: String, hint: String? = nil) -> Diagnostic {
            Diagnostic(kind: "NotServedError", message: message, hint: hint)
        }
        var errors = linksOut(of: others).map { notServed("\($0) is a link that leaves the project.") }
        errors += templates(in: others).map { file in
            notServed(
                "The resolver \(file) is not served yet.",
                hint: "Move it out of the folder to serve what is generated without it.")
        }
        errors += paths(of: "schema.sql.graphql").map { file in
            notServed(
                "Models of a foreign SQL database are not served: \(file).",
                hint: "Move the file out of the folder, and write the types with @model into the schema.")
        }
        return errors + stacks(in: others).compactMap(refusal)
    }

    /// What is passed over, as it changes no answer.
    var warnings: [Diagnostic] {
        isOfProject ? [] : warningsOfFolder
    }

    private var warningsOfFolder: [Diagnostic] {
        paths(of: "override.ts").map { file in
            Diagnostic(kind: "Warning", message: "\(file) is not run: overrides of resources have no effect here.")
        }
            + paths(of: "custom-roles.json").map { file in
                Diagnostic(
                    kind: "Warning", message: "\(file) is not read: its roles have no access here.",
                    hint: "Write its adminRoleNames as 'adminRoles' into 'transformParameters' of the configuration.")
            }
    }

    private func templates(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            let suffixes = Self.isAPIFolder(folder) ? AmplifyProject.resolverSuffixes : [".vtl"]
            return AmplifyProject.resolverFolders.flatMap { tree($0, in: folder) }
                .filter { file in suffixes.contains { file.hasSuffix($0) } && !isLinkOut(file, of: folder) }
        }
    }

    /// The files below one of the folders of an API.
    private func tree(_ name: String, in folder: String) -> [String] {
        Files.tree(Files.path(name, in: folder), within: base(of: folder))
    }

    /// What the links beside a schema may not leave: the folder of the Amplify project; nil where there is none.
    private func base(of folder: String) -> String? {
        if let base { return base }
        guard Self.isAPIFolder(folder) else { return nil }
        // Above amplify/backend/api/NAME.
        let names = Files.absolute(folder).split(separator: "/").filter { $0 != "." }
        return Files.realPath("/" + names.dropLast(4).joined(separator: "/"))
    }

    private func isLinkOut(_ path: String, of folder: String) -> Bool {
        // Folders outside are not entered, so that only a link leads to what is outside.
        guard Files.target(ofLink: path) != nil, let base = base(of: folder), let real = Files.realPath(path) else {
            return false
        }
        return !Files.isInside(real, base)
    }

    /// Links that leave the project, in the folders that may hold logic. They are not followed.
    private func linksOut(of folders: [String]) -> [String] {
        folders.flatMap { folder in
            (AmplifyProject.resolverFolders + ["stacks"]).flatMap { tree($0, in: folder) }
                .filter { isLinkOut($0, of: folder) }
        }
    }

    /// Whether it is the folder of an API in an Amplify project, `…/backend/api/NAME`. In any other one, files of JavaScript
    /// may be anything, such as the sources of functions.
    private static func isAPIFolder(_ folder: String) -> Bool {
        Files.absolute(folder).split(separator: "/").filter { $0 != "." }.suffix(3).dropLast() == ["backend", "api"]
    }

    private func stacks(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            tree("stacks", in: folder).filter { $0.hasSuffix(".json") && !isLinkOut($0, of: folder) }
        }
    }

    private func paths(of name: String) -> [String] {
        folders.map { Files.path(name, in: $0) }.filter { Files.exists($0) && !Files.isFolder($0) }
    }

    /// A stack that brings resolvers or functions of AppSync. Amplify's own template of one brings nothing.
    private func refusal(of stack: String) -> Diagnostic? {
        guard let bytes = try? Files.read(stack), let value = try? JSONReader.readRelaxed(bytes),
            let resources = value.objectValue?["Resources"]?.objectValue
        else { return nil }
        let logic = resources.keys.filter { name in
            resources[name]?.objectValue?["Type"]?.stringValue?.hasPrefix("AWS::AppSync::") ?? false
        }
        guard let first = logic.first else { return nil }
        let rest = logic.count > 1 ? " and \(Counted.text(logic.count - 1, "other resource"))" : ""
        return Diagnostic(
            kind: "NotServedError",
            message: "The stack \(stack) brings \(first)\(rest) of AppSync, which is not served yet.",
            hint: "Move it out of the folder to serve what is generated without it.")
    }
}
