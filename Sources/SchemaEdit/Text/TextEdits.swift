/// Edits of several files that belong together: all offsets are those of the files before any of them.
///
/// The edits of a file ascend and have no byte in common. Two may touch.
public struct TextEdits: Sendable, Hashable {
    /// The edits, by file in the order of the files and then by place.
    public let edits: [TextEdit]

    /// No edits.
    public init() { edits = [] }

    /// Edits that ascend within each file; nil if two have a byte in common or an edit is not a range.
    public init?(_ edits: [TextEdit]) {
        var ends: [String: Int] = [:]
        for edit in edits {
            guard edit.start >= ends[edit.file, default: 0], edit.end >= edit.start else { return nil }
            ends[edit.file] = edit.end
        }
        self.edits = edits
    }

    init(checked edits: [TextEdit]) {
        self.edits = edits
    }

    /// Whether nothing is changed.
    public var isEmpty: Bool { edits.isEmpty }

    /// The files after the edits; nil if an edit is not within its file.
    public func applied(to files: [SchemaFile]) -> [SchemaFile]? {
        var result = files
        var rest = Dictionary(grouping: edits, by: \.file)
        for (index, file) in files.enumerated() {
            guard let edits = rest.removeValue(forKey: file.name) else { continue }
            guard let bytes = Self.bytes(of: file.bytes, after: edits) else { return nil }
            result[index].bytes = bytes
        }
        return rest.isEmpty ? result : nil
    }

    private static func bytes(of bytes: [UInt8], after edits: [TextEdit]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + edits.reduce(0) { $0 + $1.text.utf8.count })
        var position = 0
        for edit in edits {
            guard edit.start >= position, edit.end >= edit.start, edit.end <= bytes.count else { return nil }
            result += bytes[position..<edit.start]
            result += edit.text.utf8
            position = edit.end
        }
        return result + bytes[position...]
    }

    /// The edits that restore the files, to be applied to the files after these edits.
    public func inverse(for files: [SchemaFile]) -> TextEdits {
        var inverse: [TextEdit] = []
        var shifts: [String: Int] = [:]
        let bytes = Dictionary(files.map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
        for edit in edits {
            let start = edit.start + shifts[edit.file, default: 0]
            let length = edit.text.utf8.count
            let old = String(decoding: bytes[edit.file]?[edit.start..<edit.end] ?? [], as: UTF8.self)
            inverse.append(TextEdit(file: edit.file, start: start, end: start + length, text: old))
            shifts[edit.file, default: 0] += length - (edit.end - edit.start)
        }
        return TextEdits(checked: inverse)
    }

    /// One set of edits that has the effect of these and then of the next ones, which are edits of the files after these.
    public func followed(by next: TextEdits) -> TextEdits {
        var order: [String] = []
        for edit in edits + next.edits where !order.contains(edit.file) { order.append(edit.file) }
        let first = Dictionary(grouping: edits, by: \.file)
        let second = Dictionary(grouping: next.edits, by: \.file)
        return TextEdits(
            checked: order.flatMap { file in
                Self.composed(first[file] ?? [], second[file] ?? []).map {
                    TextEdit(file: file, start: $0.range.lowerBound, end: $0.range.upperBound, text: $0.text)
                }
            })
    }

    // MARK: - Composition

    /// A part of a text: a range of the original, or what was inserted.
    private enum Segment {
        case original(Range<Int>)
        case inserted(ArraySlice<UInt8>)

        var count: Int {
            switch self {
            case .original(let range): range.count
            case .inserted(let bytes): bytes.count
            }
        }

        /// The first `count` bytes, and the rest.
        func split(after count: Int) -> (Segment, Segment) {
            switch self {
            case .original(let range):
                let middle = range.lowerBound + count
                return (.original(range.lowerBound..<middle), .original(middle..<range.upperBound))
            case .inserted(let bytes): return (.inserted(bytes.prefix(count)), .inserted(bytes.dropFirst(count)))
            }
        }
    }

    private static func composed(_ first: [TextEdit], _ second: [TextEdit]) -> [(range: Range<Int>, text: String)] {
        // The original's length is not known here; it is below this one.
        let endless = Int.max / 2
        let segments = replace(second, in: replace(first, in: [.original(0..<endless)]))
        var edits: [(range: Range<Int>, text: String)] = []
        var position = 0
        var inserted: [UInt8] = []
        for segment in segments {
            switch segment {
            case .inserted(let bytes): inserted += bytes
            case .original(let range):
                if range.lowerBound > position || !inserted.isEmpty {
                    edits.append((position..<range.lowerBound, String(decoding: inserted, as: UTF8.self)))
                    inserted = []
                }
                position = range.upperBound
            }
        }
        return edits
    }

    private static func replace(_ edits: [TextEdit], in segments: [Segment]) -> [Segment] {
        var result: [Segment] = []
        var rest = segments[...]
        var position = 0
        /// Advances to a place; keeps or drops what lies before it.
        func advance(to place: Int, keeps: Bool) {
            while position < place, let next = rest.first {
                let (taken, left) = next.split(after: min(next.count, place - position))
                if keeps { result.append(taken) }
                position += taken.count
                if left.count > 0 { rest[rest.startIndex] = left } else { rest.removeFirst() }
            }
        }
        for edit in edits {
            advance(to: edit.start, keeps: true)
            result.append(.inserted(Array(edit.text.utf8)[...]))
            advance(to: edit.end, keeps: false)
        }
        return result + rest
    }
}
