import GraphQL
import JSON
import SchemaEdit

/// The schema's files on disk, and the names that the operators' API gives them: their paths below the folder that all are in.
struct SchemaFolder: Sendable {
    /// A file that is there, or the one that a first schema is written to.
    struct Entry: Sendable {
        let name: String
        let path: String
    }

    let entries: [Entry]
    /// What all paths begin with, and names do not.
    private let common: String
    /// Where further files may be; nil where the configuration names files.
    private let folder: String?
    /// Why the files cannot be written; nil where they can.
    let reason: String?
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
        let files = SchemaFiles(configuration)
        var paths = files.files
        let single = configuration.schema.paths.count == 1 ? configuration.schema.paths[0] : nil
        folder = single.flatMap { Files.isFolder($0) ? SchemaFiles.withoutSlash($0) : nil }
        if paths.isEmpty, let folder { paths = [Files.path("schema.graphql", in: folder)] }
        let common = folder.map { $0 == "." ? "" : "\($0)/" } ?? Self.commonFolder(of: paths)
        self.common = common
        entries = paths.map { Entry(name: Self.name(of: $0, below: common), path: $0) }
        if configuration.schema.isOff {
            reason = "This server has no GraphQL API."
        } else if configuration.schema.text != nil {
            reason =
                "The schema is part of \(configuration.schema.paths.first ?? "another file"), which is edited elsewhere."
        } else if entries.contains(where: { AmplifyFolder.containsFile($0.path) }) {
            reason = "The schema is in the folder amplify/ of an Amplify project, where nothing is written."
        } else {
            reason = nil
        }
    }

    /// The name of the file at a path, which need not be there any longer.
    func name(of path: String) -> String { Self.name(of: path, below: common) }

    private static func name(of path: String, below common: String) -> String {
        path.hasPrefix(common) ? String(path.dropFirst(common.count)) : path
    }

    /// The part of all paths that ends with a slash and is equal.
    private static func commonFolder(of paths: [String]) -> String {
        guard let first = paths.first else { return "" }
        var parts = first.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for path in paths {
            let other = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            parts = parts.prefix(zip(parts, other).prefix { $0 == $1 }.count)
        }
        return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
    }

    /// The text as it is now. A file that is not there is empty.
    func read() throws(OperatorProblem) -> SchemaText {
        if let text = configuration.schema.text, let entry = entries.first {
            return SchemaText([SchemaFile(name: entry.name, text: text)])
        }
        var files: [SchemaFile] = []
        for entry in entries {
            do throws(Files.Failure) {
                files.append(
                    SchemaFile(
                        name: entry.name,
                        bytes: try Files.read(entry.path, bytesMax: SchemaEditLimits.standard.textBytesMax)))
            } catch {
                guard error.isMissing else {
                    throw OperatorProblem(
                        code: .unavailable, message: "Cannot read the schema \(entry.path): \(error.reason).")
                }
                files.append(SchemaFile(name: entry.name, bytes: []))
            }
        }
        return SchemaText(files)
    }

    /// The text as it is now, to be changed. Text in another encoding is refused: in what is shown of it a character stands for the
    /// bytes that are none of UTF-8, and it would be written in their place.
    func readToChange() throws(OperatorProblem) -> SchemaText {
        let text = try read()
        if let problem = Self.encodingProblem(of: text) { throw problem }
        return text
    }

    /// Why files cannot be changed as text; nil where they can.
    static func encodingProblem(of text: SchemaText) -> OperatorProblem? {
        for file in text.files {
            guard let (offset, line) = file.firstInvalidByte else { continue }
            var problem = OperatorProblem(
                code: .conflict,
                message: "Line \(line) of \(file.name) is not UTF-8, so the file cannot be changed here.",
                hint: "Save the file as UTF-8.", field: "files")
            problem.details = [
                "place": [
                    "file": .string(file.name), "offset": .number(String(offset)), "line": .number(String(line)),
                ]
            ]
            return problem
        }
        return nil
    }

    /// Where the file of a name is written; nil for a name that is not one of this schema.
    func path(of name: String) -> String? {
        if let entry = entries.first(where: { $0.name == name }) { return entry.path }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard let folder, parts.count == 1, name.hasSuffix(".graphql"), !name.hasPrefix("."),
            name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }), name.utf8.count <= 128
        else { return nil }
        return Files.path(name, in: folder)
    }

    /// Refuses files that this schema cannot have, and those of which one lacks.
    func check(_ text: SchemaText) throws(OperatorProblem) {
        guard Set(text.files.map(\.name)).count == text.files.count, !text.files.isEmpty else {
            throw .invalid("A schema has files with different names.", field: "files")
        }
        for file in text.files where path(of: file.name) == nil {
            throw OperatorProblem(
                code: .invalid, message: "'\(LogText.excerpt(file.name))' is not a file of this schema.",
                hint: "Its files are \(entries.map(\.name).joined(separator: ", ")).", field: "files")
        }
        for entry in entries where text[entry.name] == nil {
            throw OperatorProblem(
                code: .invalid, message: "The file \(entry.name) is missing.",
                hint: "A deployment removes no file. Send it with an empty text.", field: "files")
        }
    }
}
