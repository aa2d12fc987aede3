/// Reads the records of a file of items (RFC 4180), and which fields are in quotes: an empty field in quotes is the empty text, one
/// without is an absent value. Quoted fields may have commas, quotes and line breaks. Lines end with CR LF, LF or CR. A byte order
/// mark is skipped. Unlike `CSVReader`, it has no escapes by backslashes.
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

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next record that is not an empty line; nil after the last one.
    mutating func next() -> Record? {
        while position < bytes.count {
            let start = position
            var record = Record(line: line, fields: [])
            while true {
                record.fields.append(field())
                guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { break }
                position += 1
            }
            record.text = String(decoding: bytes[start..<position], as: UTF8.self)
            endLine()
            if record.fields != [Field(text: "")] { return record }
        }
        return nil
    }

    private mutating func field() -> Field {
        var text: [UInt8] = []
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < bytes.count, !isEnd(bytes[position]) { position += 1 }
            return Field(text: String(decoding: bytes[start..<position], as: UTF8.self))
        }
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { break }
                position += 1
            }
            if byte == 0x0A { line += 1 }
            text.append(byte)
        }
        // What follows the closing quote belongs to the field.
        while position < bytes.count, !isEnd(bytes[position]) {
            text.append(bytes[position])
            position += 1
        }
        return Field(text: String(decoding: text, as: UTF8.self), isQuoted: true)
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D }

    private mutating func endLine() {
        guard position < bytes.count else { return }
        let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
        position += isPair ? 2 : 1
        line += 1
    }
}
