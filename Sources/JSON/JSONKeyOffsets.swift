/// Where each key and element stands in relaxed JSON that `JSONReader.readRelaxed` has accepted. At the end of any other
/// text the walk stops.
public struct JSONKeyOffsets {
    /// The keys and array indexes that lead to a value.
    public typealias Path = [String]

    /// The byte of each key, and of each element of an array.
    public private(set) var offsets: [Path: Int] = [:]
    /// The keys that their object names more than once, in order.
    public private(set) var repeated: [Path] = []
    private let bytes: [UInt8]
    private var position = 0

    /// Walks over a text once.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        value(at: [])
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func value(at path: Path) {
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

    private mutating func members(at path: Path) {
        position += 1
        while skipSpace(), byte == UInt8(ascii: "\"") {
            let start = position
            let key = path + [string()]
            if offsets[key] != nil { repeated.append(key) }
            offsets[key] = start
            skipSpace()
            position += 1  // The colon.
            value(at: key)
            skipSpace()
            if byte == UInt8(ascii: ",") { position += 1 }
        }
        position += 1
    }

    private mutating func elements(at path: Path) {
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
