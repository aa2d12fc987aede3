import Amplify
import JSON

/// `syncline import amplify`: writes a configuration, the schema and a report of a project, once.
public struct AmplifyImport: Sendable {
    /// The report for a terminal.
    public let report: String
    private let outputs: [(path: String, text: String, isPrivate: Bool)]
    /// Where the schema is written in several files, their folder.
    private let schemaFolder: String?

    /// The files to write.
    public var files: [String] { outputs.map(\.path) }

    /// Reads a project. Nothing is written.
    ///
    /// - Parameters:
    ///   - path: The folder that holds `amplify/`, or that folder.
    ///   - texts: What flags and the environment say, for the purpose `importing`.
    ///   - out: The folder of the files.
    public init(path: String, _ texts: SettingTexts, out: String) throws(ServerError) {
        var texts = texts
        texts.set(.amplify, path)
        texts.set(.noAmplify, "false")
        guard let found = try AmplifyDetection(texts, nil) else { preconditionFailure("a named project is looked for") }
        let own = try OwnSettings(root: found.root, out: out)
        let (read, error) = found.examine(prefix: "", texts, own.overrides)
        if let error { throw ServerError(error) }
        var project = read
        var outputs: [(path: String, text: String, isPrivate: Bool)] = []
        var settings = own.merged(over: &project)
        var schemaFolder: String?
        if let (_, text) = project.schemaText {
            outputs.append(("schema.graphql", text, false))
            settings["schema"] = "schema.graphql"
        } else if !own.hasSchema(in: out), let schema = settings["schema"]?.stringValue {
            let source = Files.path(schema, in: found.root)
            let name = Files.isFolder(source) ? "schema" : "schema.graphql"
            if Files.isFolder(source) { schemaFolder = Files.path(name, in: out) }
            // What is served, and nothing else that may lie there.
            for file in SchemaFiles(folder: source).files {
                // By bytes: a name may begin with a mark that is one character with the "/" before it.
                let rest = String(decoding: file.utf8.dropFirst(source.utf8.count + 1), as: UTF8.self)
                let inner = Files.isFolder(source) ? "\(name)/\(rest)" : name
                guard let bytes = try? Files.read(file), let text = String(validating: bytes, as: UTF8.self) else {
                    throw ServerError(.invalid, "Cannot read the schema \(file), or it is not UTF-8.")
                }
                outputs.append((inner, text, false))
            }
            settings["schema"] = .string(name)
        }
        var configuration: JSONObject = ["amplify": false]
        for (key, value) in settings where key != "amplify" { configuration[key] = value }
        outputs.append((Configuration.defaultFile, Self.pretty(.object(configuration)) + "\n", true))
        outputs.append(("amplify-report.md", project.markdown, false))
        self.schemaFolder = schemaFolder
        self.outputs = outputs.map { (path: Files.path($0.path, in: out), text: $0.text, isPrivate: $0.isPrivate) }
        report = project.reportLines(isWhole: true).joined(separator: "\n")
    }

    /// Writes the files that replace the project.
    ///
    /// - Parameter force: Whether files that exist are replaced; otherwise nothing is written where one exists.
    public func write(force: Bool) throws(ServerError) {
        // A link is there though it may lead to nothing.
        let existing = files.filter { Files.exists($0) || Files.target(ofLink: $0) != nil }
        guard existing.isEmpty || force else {
            throw ServerError(
                .refused, "These files exist, and nothing was written: \(existing.joined(separator: ", ")).",
                hint:
                    "Write elsewhere with --out, or replace them with --force, which keeps what the project does not say "
                    + "of \(Configuration.defaultFile).")
        }
        let folders = files.filter { Files.isFolder($0) && Files.target(ofLink: $0) == nil }
        guard folders.isEmpty else {
            throw ServerError(
                .refused, "These are folders, and nothing was written: \(folders.joined(separator: ", ")).",
                hint: "Write elsewhere with --out.")
        }
        // All files of the folder are the schema: an earlier import may have written what the project has no longer.
        let ofProject = Set(files)
        let served = schemaFolder.map { Files.isFolder($0) ? SchemaFiles(folder: $0).files : [] } ?? []
        let others = served.filter { !ofProject.contains($0) }
        guard others.isEmpty else {
            throw ServerError(
                .refused,
                "These files would be served with the schema of the project, which does not have them, and nothing was "
                    + "written: \(others.joined(separator: ", ")).",
                hint: "Remove them, or write elsewhere with --out.")
        }
        for file in files { try AmplifyFolder.refuseWriting(file: file, of: "--out") }
        for file in outputs {
            do throws(Files.Failure) {
                let above = Files.folder(of: file.path)
                if above != "." { try Files.makeFolder(above) }
                try Files.write(file.text, to: file.path, isPrivate: file.isPrivate)
            } catch {
                throw ServerError(.failed, "Cannot write \(file.path): \(error.reason).")
            }
        }
    }

    /// JSON text with an element a line, and lists of plain values on one.
    static func pretty(_ value: JSONValue, indent: Int = 0) -> String {
        let (inner, outer) = (String(repeating: " ", count: indent + 4), String(repeating: " ", count: indent))
        if let object = value.objectValue, !object.isEmpty {
            let members = object.map { "\(inner)\(JSONValue.string($0.key)): \(pretty($0.value, indent: indent + 4))" }
            return "{\n\(members.joined(separator: ",\n"))\n\(outer)}"
        }
        if let elements = value.arrayValue, elements.contains(where: { $0.objectValue != nil }) {
            let lines = elements.map { inner + pretty($0, indent: indent + 4) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        }
        return value.description
    }
}
