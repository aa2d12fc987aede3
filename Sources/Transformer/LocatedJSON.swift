import GraphQL
public import JSON

/// A JSON file that people write, and the place of each key in it. A byte order mark, comments and a comma after the last
/// element are accepted.
///
/// A place costs the logarithm of the number of lines: every setting of a configuration asks for one.
public final class LocatedJSON: Sendable {
    /// The keys and array indexes that lead to a value.
    public typealias Path = [String]

    /// The most values of all objects and arrays together. The place of each one is kept.
    public static let valuesMax = 100_000

    /// What the file says.
    public let value: JSONValue
    /// The keys that their object names more than once, in order.
    public let repeated: [Path]
    private let lines: SourceLines
    private let offsets: [Path: Int]

    /// Reads a file, or says what is wrong with it and where.
    ///
    /// - Parameters:
    ///   - name: What messages call the file.
    ///   - kind: The kind of the diagnostic of a file that cannot be read.
    ///   - depthMax: How deep arrays and objects may be inside one another.
    public init(name: String, bytes: [UInt8], kind: String, depthMax: Int = 64) throws(Diagnostic) {
        lines = SourceLines(bytes, name: name)
        let markBytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let separators = bytes.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        guard separators < Self.valuesMax else {
            throw Diagnostic(
                kind: kind, message: "The file has more than \(Self.valuesMax) values.", place: lines.place(of: 0))
        }
        do {
            value = try JSONReader.readRelaxed(Array(bytes.dropFirst(markBytes)), depthMax: depthMax)
        } catch {
            throw Diagnostic(
                kind: kind, message: error.message, place: lines.place(of: error.offset + markBytes),
                hint:
                    "The file is JSON; comments (// and /* */) and trailing commas are allowed. Texts and keys stand in "
                    + "double quotes, and a comma stands between two elements.")
        }
        let walk = JSONKeyOffsets(bytes)
        (offsets, repeated) = (walk.offsets, walk.repeated)
    }

    /// What messages call the file.
    public var name: String { lines.name }

    /// The paths of all keys and elements.
    public var paths: some Collection<Path> { offsets.keys }

    /// Whether a key or an element is in the file.
    public func contains(_ path: Path) -> Bool { offsets[path] != nil }

    /// Where a key stands, or the nearest key above it.
    public func place(of path: Path) -> Diagnostic.Place {
        var path = path
        while offsets[path] == nil, !path.isEmpty { path.removeLast() }
        return lines.place(of: offsets[path] ?? 0)
    }
}
