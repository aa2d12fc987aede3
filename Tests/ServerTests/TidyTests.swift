import Foundation
import GraphQL
import Testing

@testable import Server

/// Reads the sources as they are, and holds them to ARCHITECTURE.md.
@Suite("The structure of the sources")
struct TidyTests {
    /// A target: the targets it may import, and the outside code.
    struct TargetImports: Equatable {
        var targets: Set<String>
        var outside: Set<String>
    }

    /// The project's folder: three above this file, with symbolic links followed.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Modules that come with the system or the language, and the targets that may have them.
    static let platform: [String: Set<String>] = [
        "Foundation": ["Server", "CLI", "UserPools"], "FoundationEssentials": ["Server", "CLI", "UserPools"],
        "CoreFoundation": ["Server"],
        "Dispatch": ["CLI"],
        "Glibc": ["Tables", "HTTP", "Buckets", "Server", "CLI"],
        "Musl": ["Tables", "HTTP", "Buckets", "Server", "CLI"],
        "Darwin": ["Tables", "HTTP", "Buckets", "Server", "CLI"],
    ]
    /// Modules of the language that any target may have.
    static let language: Set<String> = ["Synchronization"]

    @Test("the table of ARCHITECTURE.md, Package.swift and the imports say the same")
    func targets() throws {
        let table = try drawn()
        #expect(table.count >= 8, "the table could be read")
        let declared = try declared()
        for (name, target) in table {
            #expect(declared[name] == target, "Package.swift and ARCHITECTURE.md on \(name)")
        }
        #expect(Set(declared.keys) == Set(table.keys))
        for (name, target) in table {
            let imported = try imports(of: name)
            let foreign = imported.subtracting(Self.language).filter { Self.platform[$0]?.contains(name) != true }
            #expect(foreign == target.targets.union(target.outside), "the imports of \(name)")
        }
    }

    @Test("the dependencies between targets have no cycle")
    func noCircle() throws {
        var rest = try drawn().mapValues(\.targets)
        while !rest.isEmpty {
            let ground = rest.filter { $0.value.isEmpty }.map(\.key)
            try #require(!ground.isEmpty, "a circle among \(rest.keys.sorted())")
            for name in ground { rest[name] = nil }
            rest = rest.mapValues { $0.subtracting(ground) }
        }
    }

    @Test("the sources hold no word that a finished product has no use for")
    func words() throws {
        let forbidden = [
            "TO" + "DO", "FIX" + "ME", "try" + "!", "fatal" + "Error(", "as" + "! ", "NS" + "Log", "print" + "(\"",
        ]
        for file in try sources(in: "Sources") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in forbidden {
                #expect(!text.contains(word), "\(word) in \(file.lastPathComponent)")
            }
        }
    }

    @Test("strict memory safety is on for every Swift target")
    func memorySafety() throws {
        let text = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let settings = try #require(text.split(separator: "let swiftSettings: [SwiftSetting] = [").last)
        #expect(settings.prefix { $0 != "]" }.contains(".strictMemorySafety()"))
        // The two functions that make targets, the executable, and two targets in C.
        let count = { (part: String) in text.split(separator: part, omittingEmptySubsequences: false).count - 1 }
        #expect(count("swiftSettings: swiftSettings)") == 3)
        #expect(count("    .target(") + count("    .testTarget(") + count("    .executableTarget(") == 5)
    }

    /// CONTRIBUTING.md, "How we work": comments and documents use the field's terms. Each of these has one.
    @Test("comments and documents use the usual term for what these words were used for")
    func language() throws {
        let replacements = [
            ("whoever", "a caller, a user, a process"), ("whosoever", "any"), ("in vain", "without effect"),
            ("of no account", "ignored"), ("is told", "receives"), ("are told", "receive"), ("hears of", "receives"),
            ("patience", "timeout"), ("let go of", "released"), ("for want of", "for lack of"), ("amid", "during"),
            ("moved off", "handed to a worker"), ("the house", "the project"), ("of whom", "of which"),
        ]
        for (name, lines) in try prose() {
            for (number, line) in lines {
                let line = " \(line.lowercased()) "
                for (word, term) in replacements where line.contains(" \(word) ") {
                    Issue.record("\(name):\(number): \"\(word)\"; write for example: \(term)")
                }
            }
        }
    }

    /// The comments of the sources and tests, and the lines of the documents, by file and number.
    private func prose() throws -> [(String, [(Int, String)])] {
        var files = try sources(in: "Sources") + sources(in: "Tests")
        let documents = FileManager.default.enumerator(
            at: Self.root.appending(path: "docs"), includingPropertiesForKeys: nil)
        files += (documents?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "md" }
        files += ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map { Self.root.appending(path: $0) }
        return try files.map { file in
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            let isSwift = file.pathExtension == "swift"
            return (
                file.lastPathComponent,
                lines.enumerated().compactMap { index, line in
                    guard isSwift else { return (index + 1, String(line)) }
                    return line.firstRange(of: "//").map { (index + 1, String(line[$0.upperBound...])) }
                }
            )
        }
    }

    /// ARCHITECTURE.md, "What a table is".
    @Test("SQL stands in two folders: what a dialect says of items, and what SQLite alone has")
    func sql() throws {
        let words = [
            "SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "DROP TABLE ", "ALTER TABLE ", "PRAGMA ",
        ]
        for file in try sources(in: "Sources") {
            let path = file.path(percentEncoded: false)
            guard !path.contains("/Tables/SQL/"), !path.contains("/Tables/SQLite/") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in words { #expect(!text.contains(word), "\(word)in \(file.lastPathComponent)") }
        }
    }

    /// CONTRIBUTING.md: a type is found by the name of its file. The files of extensions, `Type+Part.swift`, declare none.
    @Test("each type that is not private stands in the file of its name")
    func files() throws {
        let declaration =
            /^(?:@\w+(?:\([^)]*\))? |public |package |internal |final |indirect |nonisolated )*(?:struct|class|enum|protocol|actor) (?<name>\w+)/
        for file in try sources(in: "Sources") {
            let name = file.deletingPathExtension().lastPathComponent
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // Most lines are indented, comments or ends.
                guard let first = line.utf8.first, first == UInt8(ascii: "@") || first > UInt8(ascii: "Z"),
                    first != UInt8(ascii: "}"), let match = line.prefixMatch(of: declaration)
                else { continue }
                #expect(match.output.name == name, "\(match.output.name) stands in \(file.lastPathComponent)")
            }
        }
    }

    /// A debug build compiles without the import, a release build does not.
    @Test("where a target imports Foundation, a file that reads the members of stat names CoreFoundation")
    func coreFoundation() throws {
        for target in ["Server", "CLI", "UserPools"] {
            for file in try sources(in: "Sources/\(target)") {
                let text = try String(contentsOf: file, encoding: .utf8)
                guard text.contains(".st_") else { continue }
                #expect(text.contains("import CoreFoundation"), "\(file.lastPathComponent)")
            }
        }
    }

    @Test("a product file is read in one sitting: no more than 600 lines")
    func length() throws {
        for file in try sources(in: "Sources") {
            let count = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            ).count
            #expect(count <= 600, "\(file.lastPathComponent) has \(count) lines")
        }
    }

    // MARK: - Reading

    /// The rows of the table `| target | what it is | imports | outside code |`, whose names stand in back-quotes.
    private func drawn() throws -> [String: TargetImports] {
        let text = try String(contentsOf: Self.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        var targets: [String: TargetImports] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { cell in
                cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            }
            guard cells.count >= 4, let name = cells[0].first else { continue }
            targets[name] = TargetImports(targets: Set(cells[2]), outside: Set(cells[3]))
        }
        return targets
    }

    /// The targets that Package.swift declares, test targets and system libraries aside.
    private func declared() throws -> [String: TargetImports] {
        let text = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let list = try #require(text.split(separator: "    targets: [").last)
        var declared: [String: TargetImports] = [:]
        // Each declaration begins with one of these words; the quoted words behind it are its name and dependencies.
        let pattern = /(?m)^ {8}(\.?\w+)\(/
        let starts = list.matches(of: pattern)
        for (index, start) in starts.enumerated() where ["target", ".executableTarget"].contains(start.1) {
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : list.endIndex
            let declaration = list[start.range.upperBound..<end].replacing(/package: "[^"]*"/, with: "")
            let names = declaration.matches(of: /"(\w+)"/).map { String($0.1) }
            guard let name = names.first else { continue }
            let dependencies = Set(names.dropFirst())
            let targets = dependencies.filter { FileManager.default.fileExists(atPath: folder(of: $0).path) }
                .filter { !isInC($0) }
            declared[name] = TargetImports(targets: targets, outside: dependencies.subtracting(targets))
        }
        return declared
    }

    private func folder(of target: String) -> URL { Self.root.appending(path: "Sources/\(target)") }

    /// Whether it is a system library, or a target in C.
    private func isInC(_ target: String) -> Bool {
        ["module.modulemap", "include"].contains {
            FileManager.default.fileExists(atPath: folder(of: target).appending(path: $0).path)
        }
    }

    private func imports(of target: String) throws -> Set<String> {
        var modules: Set<String> = []
        for file in try sources(in: "Sources/\(target)") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let pattern = /(?m)^(?:@\w+ +)*(?:(?:public|package|internal|fileprivate|private) +)?import +(\w+)/
            for match in text.matches(of: pattern) { modules.insert(String(match.1)) }
        }
        return modules
    }

    private func sources(in path: String) throws -> [URL] {
        let folder = Self.root.appending(path: path)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        // `scripts/sanitize-threads` puts this one among the sources of its copy.
        return names.filter { $0.hasSuffix(".swift") && $0 != "Mutex.swift" }.map { folder.appending(path: $0) }
    }
}

@Suite("The documents say what the tables in the source say")
struct DocumentTests {
    private func document(_ name: String) throws -> String {
        try String(contentsOf: TidyTests.root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// A number with a comma after each three digits.
    private func grouped(_ number: Int) -> String {
        var digits = String(number)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return digits
    }

    @Test("docs/configuration.md lists every limit with its meaning, default and range")
    func limits() throws {
        let text = try document("configuration.md")
        for limit in Limit.all {
            let values = "\(grouped(limit.range.lowerBound)) to \(grouped(limit.range.upperBound))"
            let row = "| `\(limit.key)` | \(limit.summary) | \(grouped(limit.defaultValue)) | \(values) |"
            #expect(text.contains(row), "\(row)")
        }
    }

    @Test("docs/prelude.graphql is what every schema has without defining it")
    func prelude() throws {
        let lines = try document("prelude.graphql").split(separator: "\n").filter { !$0.hasPrefix("#") }
        var definitions = Scalar.appSync.map { TypeSystemDefinition.type(.scalar(ScalarTypeDefinition(name: $0.name))) }
        for case .directive(let directive) in StandardDefinitions.directives.definitions
        where directive.name.hasPrefix("aws_") { definitions.append(.directive(directive)) }
        let text = Printer.print(TypeSystemDocument(definitions))
        #expect(lines == text.split(separator: "\n"))
    }

    @Test("docs/command-line.md lists every setting with its flag, variable, key and default")
    func settings() throws {
        let rows = try document("command-line.md").split(separator: "\n")
        for setting in Setting.allCases {
            let row = rows.first { $0.hasPrefix("| `\(setting.flag)`") || $0.hasPrefix("| `\(setting.flag) ") }
            let cells = try #require(row, "\(setting.flag)").split(separator: "|").map(String.init)
            #expect(cells[1].contains("`\(setting.variable)`"), "\(setting.variable)")
            #expect(cells[2].contains(setting.key.map { "`\($0)`" } ?? "–"), "\(setting.flag)")
            if let value = setting.defaultText?.split(whereSeparator: { $0 == " " || $0 == "," }).first {
                #expect(cells[3].contains("`\(value)`"), "\(setting.flag): \(value)")
            }
        }
    }
}
