import Amplify

/// What an Amplify project says of its statements and types: the entry of its API in `.graphqlconfig.yml`, which the Amplify
/// CLI writes (`amplify add codegen`).
///
/// Only this file's shape is read, which is that of one mapping in another; it is no reader of YAML.
public struct GraphQLConfigFile: Sendable {
    /// The file.
    public let path: String
    /// The language, such as `typescript`.
    public let codeGenTarget: String?
    /// The folder of the statements, as seen from the working folder.
    public let docsFilePath: String?
    /// The file of the types, as seen from the working folder.
    public let generatedFileName: String?
    /// The levels of the statements.
    public let maxDepth: Int?
    /// The paths that lead out of the project's folder: who wrote the file does not decide what is written there.
    private let leaving: Set<String>

    private static let name = ".graphqlconfig.yml"
    private static let bytesMax = 1 << 16

    /// Reads the file of the project that is served; nil where there is none, or none with an entry for the API.
    public init?(of configuration: Configuration) throws(ServerError) {
        let prefix = configuration.amplify?.prefix ?? ""
        let path = prefix + Self.name
        guard Files.exists(path) else { return nil }
        guard let bytes = try? Files.read(path, bytesMax: Self.bytesMax),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw ServerError(.failed, "\(path) cannot be read.", hint: "Name what it says by options.") }
        let projects = Self.projects(in: text)
        let api = configuration.amplify?.api
        guard let settings = api.flatMap({ projects[$0] }) ?? (projects.count == 1 ? projects.first?.value : nil) else {
            return nil
        }
        func setting(_ name: String) -> String? { settings[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.path = path
        codeGenTarget = setting("codeGenTarget")
        let paths = ["docsFilePath", "generatedFileName"].map(setting)
        (docsFilePath, generatedFileName) = (paths[0].map { prefix + $0 }, paths[1].map { prefix + $0 })
        leaving = Set(
            paths.compactMap(\.self).filter { $0.hasPrefix("/") || $0.split(separator: "/").contains("..") }
                .map { prefix + $0 })
        maxDepth = try setting("maxDepth").map { text throws(ServerError) in
            guard let depth = Int(text) else {
                throw ServerError(.usage, "\(path): maxDepth is a number, and not \"\(text)\".")
            }
            return depth
        }
    }

    /// Throws if a path of the file, which is about to be written, leads out of the project's folder.
    public func checkOutput(_ path: String) throws(ServerError) {
        guard leaving.contains(path) else { return }
        throw ServerError(
            .usage, "\(self.path): \(path) leads out of the folder of the project, and nothing was written.",
            hint: "Name the path with --out.")
    }

    /// The members of `projects.NAME.extensions.amplify`, by the names of the projects.
    static func projects(in text: String) -> [String: [String: String]] {
        var projects: [String: [String: String]] = [:]
        var keys: [(indent: Int, name: String)] = []
        let lines =
            (text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...])
        for line in Substring(lines).split(whereSeparator: \.isNewline) {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            guard let first = content.first, first != "#", first != "-", let colon = content.firstIndex(of: ":") else {
                continue
            }
            keys.removeAll { $0.indent >= indent }
            keys.append((indent, unquoted(content[..<colon])))
            let names = keys.map(\.name)
            if names.count == 5, names[0] == "projects", names[2...3] == ["extensions", "amplify"] {
                projects[names[1], default: [:]][names[4]] = unquoted(content[content.index(after: colon)...])
            }
        }
        return projects
    }

    /// A scalar without a comment after it, blanks around it, and its quotes.
    private static func unquoted(_ content: Substring) -> String {
        var text = ""
        for character in content {
            let isBlank = character.isWhitespace
            if character == "#", text.last?.isWhitespace ?? true { break }
            if !text.isEmpty || !isBlank { text.append(character) }
        }
        while text.last?.isWhitespace == true { text.removeLast() }
        for quote in ["'", "\""] as [Character] where text.count >= 2 && text.first == quote && text.last == quote {
            return String(text.dropFirst().dropLast())
        }
        return text
    }
}
