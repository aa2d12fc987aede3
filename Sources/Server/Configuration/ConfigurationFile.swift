import GraphQL
import JSON
import Transformer

/// The text of a configuration file: its value, and the place of every key in it.
///
/// The reader of JSON gives values; people need lines. So the text, once it is known to be sound, is walked again to
/// note where each key stands. A file is small and read at start, so the second walk costs nothing that counts.
struct ConfigurationFile {
    /// The keys and array indexes that lead to a value.
    typealias Path = [String]

    let value: JSONObject
    /// Whether it is a file of an Amplify project, rather than the configuration.
    let isProjectFile: Bool
    private let source: Source
    private let offsets: [Path: Int]

    /// Reads `bytes`; says what is wrong when they are no object in relaxed JSON.
    init(name: String, bytes: [UInt8], isProjectFile: Bool = false) throws(Diagnostic) {
        self.isProjectFile = isProjectFile
        let source = Source(bytes, name: name)
        let value: JSONValue
        do {
            value = try JSONReader.readRelaxed(bytes)
        } catch {
            throw Diagnostic(
                kind: "ConfigurationError", message: error.message, place: Self.place(of: error.offset, in: source),
                hint: "The file is JSON; comments (// and /* */) and trailing commas are allowed.")
        }
        guard let object = value.objectValue else {
            throw Diagnostic(
                kind: "ConfigurationError", message: "A configuration is one JSON object, { … }.",
                place: Self.place(of: 0, in: source))
        }
        var walk = KeyWalk(bytes: bytes)
        walk.value(at: [])
        self.value = object
        self.source = source
        offsets = walk.offsets
    }

    var name: String { source.name }

    /// Where a key stands, or the nearest key above it that is in the text.
    func place(of path: Path) -> Diagnostic.Place {
        var path = path
        while offsets[path] == nil, !path.isEmpty { path.removeLast() }
        return Self.place(of: offsets[path] ?? 0, in: source)
    }

    /// Whether a line may show an API key, which is never printed: it names one, or stands in a list of them. Also in a
    /// file that is no JSON, and under a misspelt name. The same holds for clients' secrets and users' passwords.
    private static func showsKey(_ line: String, in source: Source) -> Bool {
        if line.lowercased().contains(/secret|private[-_ ]?key|password["']?\s*:\s*["']/) { return true }
        if line.lowercased().contains(/api[-_ ]?key/) { return true }
        let text = String(decoding: source.bytes, as: UTF8.self).lowercased()
        guard let list = text.firstMatch(of: /api[-_ ]?key[^\[\]{},]*\[[^\]]*/) else { return false }
        return list.output.split(whereSeparator: \.isNewline).contains { part in
            part.contains("\"") && line.lowercased().contains(part)
        }
    }

    private static func place(of offset: Int, in source: Source) -> Diagnostic.Place {
        let location = source.location(of: min(max(offset, 0), source.bytes.count))
        let line = source.line(location.line)
        return Diagnostic.Place(
            sourceName: source.name, line: location.line, column: location.column,
            sourceLine: showsKey(line, in: source) ? "" : line)
    }
}

/// Notes where keys stand in relaxed JSON that is known to be sound. At the end of the text it simply stops.
private struct KeyWalk {
    let bytes: [UInt8]
    var offsets: [ConfigurationFile.Path: Int] = [:]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func value(at path: ConfigurationFile.Path) {
        skipSpace()
        if offsets[path] == nil { offsets[path] = position }
        switch byte {
        case UInt8(ascii: "{"): members(at: path)
        case UInt8(ascii: "["): elements(at: path)
        case UInt8(ascii: "\""): _ = string()
        default:
            while let byte, !",]}/ \t\r\n".utf8.contains(byte) { position += 1 }
        }
    }

    private mutating func members(at path: ConfigurationFile.Path) {
        position += 1
        while skipSpace(), byte == UInt8(ascii: "\"") {
            let start = position
            let key = path + [string()]
            offsets[key] = start
            skipSpace()
            position += 1  // The colon.
            value(at: key)
            skipSpace()
            if byte == UInt8(ascii: ",") { position += 1 }
        }
        position += 1
    }

    private mutating func elements(at path: ConfigurationFile.Path) {
        position += 1
        var index = 0
        while skipSpace(), byte != UInt8(ascii: "]") {
            value(at: path + [String(index)])
            index += 1
            skipSpace()
            if byte == UInt8(ascii: ",") { position += 1 }
        }
        position += 1
    }

    /// The string that starts here; its escapes are read by the reader that knows them.
    private mutating func string() -> String {
        let start = position
        position += 1
        while let byte, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        position = min(position + 1, bytes.count)
        return (try? JSONReader.read(Array(bytes[start..<position])))?.stringValue ?? ""
    }

    /// Skips white space and comments; false at the end of the text.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        while let byte {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0xEF, 0xBB, 0xBF:
                position += 1
            case UInt8(ascii: "/"): skipComment()
            default: return true
            }
        }
        return false
    }

    private mutating func skipComment() {
        let isBlock = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "*")
        position += 2
        while let byte {
            position += 1
            if isBlock ? byte == UInt8(ascii: "/") && bytes[position - 2] == UInt8(ascii: "*") : byte == 0x0A { return }
        }
    }
}
