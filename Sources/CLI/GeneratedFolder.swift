import Codegen
import Foundation
import JSON
import Server
import Transformer

/// A folder that generated files are written to. A file in it lists what was generated, so that only that is removed when
/// the schema no longer has it.
struct GeneratedFolder {
    /// What writing changed.
    struct Changes {
        var written: [String] = []
        var removed: [String] = []
        /// Files that the schema no longer has, and that were edited after they were generated.
        var kept: [String] = []
    }

    /// The list of generated files, beside them.
    static let listName = ".syncline-codegen.json"
    /// What the names of drafts begin with; the process, a hyphen and a random number follow. They are hidden, so that no build takes
    /// one that is left.
    private static let draftPrefix = ".syncline-codegen.draft."
    /// The largest file that is written and compared, in bytes.
    static let fileBytesMax = 64 << 20
    /// What the names of generated files end with.
    private static let endings = [".swift", ".json", ".graphql", ".js", ".ts"]

    let path: String
    let kind: GeneratedKind
    private let listPath: String
    /// The digests of the generated files by name, of all kinds.
    private var list: [String: [String: String]] = [:]
    /// Those of this kind.
    private var digests: [String: String] { list[kind.rawValue] ?? [:] }

    /// Reads the list, if there is one.
    ///
    /// - Parameter listPath: Where the list is; nil for the folder itself.
    init(_ path: String, kind: GeneratedKind, listPath: String? = nil) throws(ServerError) {
        self.path = path
        self.kind = kind
        self.listPath = listPath ?? Self.file(Self.listName, in: path)
        guard Files.exists(self.listPath) else { return }
        guard let bytes = try? Files.read(self.listPath, bytesMax: Self.fileBytesMax),
            let value = try? JSONReader.read(bytes),
            let kinds = value.objectValue
        else {
            throw ServerError(
                .failed, "The list of generated files \(self.listPath) is not valid JSON.",
                hint: "Remove it. Files that the schema no longer has are not found then.")
        }
        guard kinds.allSatisfy({ GeneratedKind(rawValue: $0.key) != nil && Self.isListOfFiles($0.value) }) else {
            throw ServerError(
                .refused, "\(self.listPath) is no list of generated files and would be replaced.",
                hint: "Name another file with --list.")
        }
        for (kind, files) in kinds {
            for (name, digest) in files.objectValue ?? [:] where Self.isName(name) {
                list[kind, default: [:]][name] = digest.stringValue ?? ""
            }
        }
    }

    /// Whether it is names of files with the digest of each.
    private static func isListOfFiles(_ value: JSONValue) -> Bool {
        value.objectValue?.allSatisfy { $0.value.stringValue != nil } ?? false
    }

    /// Whether a list may name it: a file in the folder itself.
    private static func isName(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.contains("/") && endings.contains { name.hasSuffix($0) }
    }

    private func file(_ name: String) -> String { Self.file(name, in: path) }

    private static func file(_ name: String, in folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private func bytes(of name: String) -> [UInt8]? { try? Files.read(file(name), bytesMax: Self.fileBytesMax) }

    /// The generated files that the schema no longer has. The command sets the name of a file of types, so a file of
    /// another name is not stale.
    ///
    /// Where names of files ignore case, an old name may lead to the file that has a new one now: that is not stale.
    private func stale(_ files: [GeneratedFile]) -> [String] {
        guard kind != .types else { return [] }
        let current = Set(files.map(\.name))
        let others = digests.keys.filter { !current.contains($0) && Files.exists(file($0)) }
        guard !others.isEmpty else { return [] }
        let fingerprints = Set(files.compactMap { Files.fingerprint(file($0.name)) })
        return others.filter { Files.fingerprint(file($0)).map { !fingerprints.contains($0) } ?? false }.sorted()
    }

    /// What is different from `files`, a line for each file.
    func differences(from files: [GeneratedFile]) -> [String] {
        var lines: [String] = []
        for generated in files {
            guard Files.exists(file(generated.name)) else {
                lines.append("missing: \(file(generated.name))")
                continue
            }
            if bytes(of: generated.name) != Array(generated.text.utf8) {
                lines.append("differs: \(file(generated.name))")
            }
        }
        return lines + stale(files).map { "stale: \(file($0))" }
    }

    /// Writes the files that differ, each in one step, and removes what was generated and is no longer.
    ///
    /// Throws without a change where a file of such a name is there that no generator wrote, unless `replaces`.
    mutating func write(_ files: [GeneratedFile], replaces: Bool) throws(ServerError) -> Changes {
        guard !files.contains(where: { file($0.name) == listPath }) else {
            throw ServerError(
                .usage, "The list of generated files \(listPath) has the name of one of them.",
                hint: "Name another file with --list.")
        }
        let foreign = replaces ? [] : files.map(\.name).filter(isForeign)
        guard foreign.isEmpty else {
            throw ServerError(
                .refused,
                foreign.map { name in
                    Diagnostic(
                        kind: "ServerError",
                        message: "\(file(name)) exists and was not generated. It would be overwritten.",
                        hint: "Name another folder with --out, or replace it with --force.")
                })
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ServerError(.failed, "Cannot make the folder \(path): \(error.localizedDescription)")
        }
        removeDrafts()
        let new = Dictionary(
            files.map { ($0.name, GeneratedFile.digest(of: Array($0.text.utf8))) }, uniquingKeysWith: { $1 })
        let changed = files.filter { bytes(of: $0.name) != Array($0.text.utf8) }
        // Before the files, so that those of a run that is killed are known to the next one.
        if !changed.isEmpty { try writeList(digests.merging(new) { $1 }) }
        var changes = Changes()
        for generated in changed {
            try write(generated.text, to: file(generated.name))
            changes.written.append(generated.name)
        }
        for name in stale(files) {
            guard let bytes = bytes(of: name), GeneratedFile.digest(of: bytes) == digests[name],
                GeneratedFile.isGenerated(bytes, as: kind)
            else {
                changes.kept.append(name)
                continue
            }
            Files.remove(file(name))
            changes.removed.append(name)
        }
        let others = kind == .types ? digests.filter { Files.exists(file($0.key)) } : [:]
        try writeList(others.merging(new) { $1 })
        return changes
    }

    private mutating func writeList(_ digests: [String: String]) throws(ServerError) {
        list[kind.rawValue] = digests
        let text = listText
        guard (try? Files.read(listPath, bytesMax: Self.fileBytesMax)) != Array(text.utf8) else { return }
        try write(text, to: listPath)
    }

    /// Removes the drafts of runs that were killed.
    private func removeDrafts() {
        for name in (try? Files.names(inFolder: path)) ?? [] where name.hasPrefix(Self.draftPrefix) {
            // Earlier versions had no random number.
            guard let process = Int32(name.dropFirst(Self.draftPrefix.count).prefix { $0 != "-" }),
                !Files.isRunning(process)
            else { continue }
            Files.remove(file(name))
        }
    }

    private func isForeign(_ name: String) -> Bool {
        guard Files.exists(file(name)) else { return false }
        guard let bytes = bytes(of: name) else { return true }
        return GeneratedFile.digest(of: bytes) != digests[name] && !GeneratedFile.isGenerated(bytes, as: kind)
    }

    private func write(_ text: String, to path: String) throws(ServerError) {
        // The list may be in another folder, on another disk.
        let isHere = path.hasPrefix(file(""))
        do {
            let random = String(UInt64.random(in: .min ... .max), radix: 16)
            let draft = "\(Self.draftPrefix)\(Files.processIdentifier)-\(random)"
            try Files.write(text, to: path, draft: isHere ? file(draft) : nil)
        } catch {
            throw ServerError(.failed, "Cannot write \(path): \(error.reason).")
        }
    }

    private var listText: String {
        let kinds = list.sorted { $0.key < $1.key }.map { kind, files in
            (kind, JSONValue.object(JSONObject(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })))
        }
        return "\(JSONValue.object(JSONObject(kinds)))\n"
    }
}
