public import JSON

/// The replacement of a range of a file by a text. Offsets are bytes of the file as it was.
public struct TextEdit: Sendable, Hashable {
    /// The name of the file.
    public var file: String
    /// The first byte that is replaced.
    public var start: Int
    /// The byte after the last one that is replaced.
    public var end: Int
    /// What stands there instead.
    public var text: String

    /// A replacement by its parts.
    public init(file: String, start: Int, end: Int, text: String) {
        self.file = file
        self.start = start
        self.end = end
        self.text = text
    }

    /// The edit as an answer of the operators' API has it.
    public var json: JSONValue {
        [
            "file": .string(file), "start": .number(String(start)), "end": .number(String(end)), "text": .string(text),
        ]
    }
}
