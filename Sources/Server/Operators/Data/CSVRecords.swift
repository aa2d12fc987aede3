/// Reads the records of a file of items (RFC 4180), and which fields are in quotes: an empty field in quotes is the empty text, one
/// without is an absent value. Quoted fields may have commas, quotes and line breaks. Lines end with CR LF, LF or CR. A byte order
/// mark is skipped. Unlike `CSVReader`, it has no escapes by backslashes. A record has at most `BulkLimits.cellsMax` fields and
/// `BulkLimits.rowBytesMax` bytes; a larger one ends the file (`largeLine`).
struct CSVRecords {
    /// A field as it is written.
    struct Field: Sendable, Equatable {
        var text: String
        var isQuoted = false
    }

    /// A record, and the line that it begins on.
    struct Record: Sendable, Equatable {
        var line: Int
        var fields: [Field]
        /// As it is in the file, without the end of its line.
        var text = ""
    }

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1
    /// Where the record that is read has to end.
    private var end = 0
    /// The line of the first record that is too large; nil as long as none was found.
    private(set) var largeLine: Int?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next record that is not an empty line; nil after the last one.
    mutating func next() -> Record? { record(isRead: true) }

    /// Passes over the next record. False after the last one.
    mutating func skip() -> Bool { record(isRead: false) != nil }

    /// - Parameter isRead: Whether the record has its fields.
    private mutating func record(isRead: Bool) -> Record? {
        while largeLine == nil, position < bytes.count, isLineEnd(bytes[position]) { endLine() }
        guard largeLine == nil, position < bytes.count else { return nil }
        let start = position
        var record = Record(line: line, fields: [])
        end = min(bytes.count, position + BulkLimits.rowBytesMax)
        var count = 0
        while true {
            let field = field(isRead: isRead)
            if isRead { record.fields.append(field) }
            count += 1
            guard position < end, bytes[position] == UInt8(ascii: ",") else { break }
            guard count < BulkLimits.cellsMax else {
                largeLine = record.line
                return nil
            }
            position += 1
        }
        // The record goes on.
        guard position < end || end == bytes.count else {
            largeLine = record.line
            return nil
        }
        if isRead { record.text = String(decoding: bytes[start..<position], as: UTF8.self) }
        endLine()
        return record
    }

    private mutating func field(isRead: Bool) -> Field {
        guard position < end, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < end, !isEnd(bytes[position]) { position += 1 }
            return Field(text: isRead ? String(decoding: bytes[start..<position], as: UTF8.self) : "")
        }
        var text: [UInt8] = []
        position += 1
        while position < end {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < end, bytes[position] == UInt8(ascii: "\"") else { break }
                position += 1
            }
            if byte == 0x0A { line += 1 }
            if isRead { text.append(byte) }
        }
        // What follows the closing quote belongs to the field.
        while position < end, !isEnd(bytes[position]) {
            if isRead { text.append(bytes[position]) }
            position += 1
        }
        return Field(text: String(decoding: text, as: UTF8.self), isQuoted: true)
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || isLineEnd(byte) }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private mutating func endLine() {
        guard position < bytes.count else { return }
        let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
        position += isPair ? 2 : 1
        line += 1
    }
}
