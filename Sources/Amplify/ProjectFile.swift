import GraphQL
import JSON
import Transformer

/// A JSON file of a project, with the place of each key. A byte order mark, comments and a comma after the last element
/// are accepted, as by the Amplify CLI.
final class ProjectFile: Sendable {
    let value: JSONValue
    /// Keys that their object names more than once.
    let repeated: [[String]]
    private let source: Source
    private let offsets: [[String]: Int]

    init(name: String, bytes: [UInt8]) throws(Diagnostic) {
        source = Source(bytes, name: name)
        let markBytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        do {
            value = try JSONReader.readRelaxed(Array(bytes.dropFirst(markBytes)), depthMax: ProjectLimits.depthMax)
        } catch {
            throw Diagnostic(
                kind: "AmplifyProjectError", message: error.message,
                place: Self.place(of: error.offset + markBytes, in: source),
                hint:
                    "Comments and a comma after the last element are accepted. Texts and keys stand in double quotes, and "
                    + "a comma stands between two elements.")
        }
        let walk = JSONKeyOffsets(bytes)
        (offsets, repeated) = (walk.offsets, walk.repeated)
    }

    var name: String { source.name }

    var root: ProjectNode { ProjectNode(value: value, file: self, path: []) }

    /// Where a key stands, or the nearest key above it.
    func place(of path: [String]) -> Diagnostic.Place {
        var path = path
        while offsets[path] == nil, !path.isEmpty { path.removeLast() }
        return Self.place(of: offsets[path] ?? 0, in: source)
    }

    private static func place(of offset: Int, in source: Source) -> Diagnostic.Place {
        let location = source.location(of: min(max(offset, 0), source.bytes.count))
        let line = source.line(location.line)
        // Keys and secrets are never repeated in a message.
        let isSecret = line.lowercased().contains(/secret|api_?key|password["']?\s*:\s*["']/)
        return Diagnostic.Place(
            sourceName: source.name, line: location.line, column: location.column, sourceLine: isSecret ? "" : line)
    }
}
