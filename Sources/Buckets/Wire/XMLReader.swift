/// Parses the XML documents of S3: in requests Delete, CompleteMultipartUpload, CORSConfiguration, Tagging and
/// CreateBucketConfiguration, and for the command line what `XMLWriter` has written. They are nested text elements, three or four levels
/// deep.
///
/// A general parser would accept too much. This one refuses document types, and so all entities except the five predefined
/// ones, processing instructions and prefixes. Attributes are skipped. Depth,
/// number of elements and bytes are bounded. (W3C, "Extensible Markup Language (XML) 1.0".)
package struct XMLReader {
    /// Maximum nesting depth.
    static let depthMax = 8
    /// Maximum number of elements in a document.
    static let elementsMax = 100_000

    private let bytes: [UInt8]
    private var index = 0
    private var elementCount = 0

    /// Reads a document in UTF-8.
    ///
    /// - Parameter root: The name of its outermost element.
    package static func read(_ bytes: [UInt8], root: String) throws(S3Error) -> XMLElement {
        // A text with invalid sequences is not UTF-8.
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformedXML }
        var reader = XMLReader(bytes: bytes)
        let element = try reader.document()
        guard element.name == root else { throw .malformedXML }
        return element
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Structure

    private mutating func document() throws(S3Error) -> XMLElement {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        if skip("<?xml") {
            guard index < bytes.count, Self.isSpace(bytes[index]) else { throw .malformedXML }
            try skip(past: "?>", bytesMax: 200)
        }
        try skipSpaceAndComments()
        let element = try element(depth: 1)
        try skipSpaceAndComments()
        guard index == bytes.count else { throw .malformedXML }
        return element
    }

    private mutating func element(depth: Int) throws(S3Error) -> XMLElement {
        elementCount += 1
        guard depth <= Self.depthMax, elementCount <= Self.elementsMax, skip("<") else { throw .malformedXML }
        var element = XMLElement(name: try name())
        if try attributes() { return element }
        var text: [UInt8] = []
        while true {
            guard index < bytes.count else { throw .malformedXML }
            switch bytes[index] {
            case UInt8(ascii: "&"): try reference(into: &text)
            case UInt8(ascii: "<"):
                if skip("</") {
                    guard try name() == element.name else { throw .malformedXML }
                    skipSpace()
                    guard skip(">") else { throw .malformedXML }
                    element.text = String(decoding: text, as: UTF8.self)
                    return element
                } else if skip("<!--") {
                    try skip(past: "-->")
                } else if skip("<![CDATA[") {
                    while !skip("]]>") { try character(into: &text) }
                } else {
                    element.elements.append(try self.element(depth: depth + 1))
                }
            default: try character(into: &text)
            }
        }
    }

    /// Reads a byte of text.
    private mutating func character(into text: inout [UInt8]) throws(S3Error) {
        guard index < bytes.count, Self.isCharacter(bytes[index]) else { throw .malformedXML }
        let byte = bytes[index]
        index += 1
        // XML 1.0, "End-of-Line Handling": line ends are read as line feeds.
        if byte == 0x0D {
            if index < bytes.count, bytes[index] == 0x0A { index += 1 }
            text.append(0x0A)
        } else {
            text.append(byte)
        }
    }

    /// Skips attributes, including the namespace.
    ///
    /// - Returns: Whether the tag is an empty-element tag.
    private mutating func attributes() throws(S3Error) -> Bool {
        var names: Set<String> = []
        while true {
            let start = index
            skipSpace()
            if skip("/>") { return true }
            if skip(">") { return false }
            guard index > start else { throw .malformedXML }
            // XML 1.0, "Start-Tags, End-Tags, and Empty-Element Tags": no attribute name may appear more than once.
            let name = try name(allowsColon: true)
            guard names.insert(name).inserted else { throw .malformedXML }
            skipSpace()
            guard skip("=") else { throw .malformedXML }
            skipSpace()
            guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]) else {
                throw .malformedXML
            }
            let quote = bytes[index]
            index += 1
            while true {
                guard index < bytes.count, bytes[index] != UInt8(ascii: "<") else { throw .malformedXML }
                index += 1
                if bytes[index - 1] == quote { break }
            }
        }
    }

    private mutating func name(allowsColon: Bool = false) throws(S3Error) -> String {
        let start = index
        while index < bytes.count, Self.isName(bytes[index]) || (allowsColon && bytes[index] == UInt8(ascii: ":")) {
            index += 1
        }
        guard index > start, index - start <= 100, !(0x30...0x39 ~= bytes[start]) else { throw .malformedXML }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func reference(into text: inout [UInt8]) throws(S3Error) {
        let rest = bytes[index...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw .malformedXML }
        let name = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
        index = end + 1
        switch name {
        case "amp": text.append(UInt8(ascii: "&"))
        case "lt": text.append(UInt8(ascii: "<"))
        case "gt": text.append(UInt8(ascii: ">"))
        case "quot": text.append(UInt8(ascii: "\""))
        case "apos": text.append(UInt8(ascii: "'"))
        default:
            let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
            guard name.hasPrefix("#"), !digits.isEmpty, digits.utf8.allSatisfy({ Self.isHexadecimal($0) }),
                let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10), value != 0,
                let scalar = Unicode.Scalar(value)
            else { throw .malformedXML }
            text += Array(String(Character(scalar)).utf8)
        }
    }

    // MARK: Bytes

    /// Skips a text if it is next.
    private mutating func skip(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private mutating func skip(past text: String, bytesMax: Int = .max) throws(S3Error) {
        let start = index
        while !skip(text) {
            guard index < bytes.count, index - start < bytesMax, Self.isCharacter(bytes[index]) else {
                throw .malformedXML
            }
            index += 1
        }
    }

    private mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    private mutating func skipSpaceAndComments() throws(S3Error) {
        skipSpace()
        while skip("<!--") {
            try skip(past: "-->")
            skipSpace()
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// XML 1.0, "Characters": no control characters but white space.
    private static func isCharacter(_ byte: UInt8) -> Bool { byte >= 0x20 || isSpace(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }
}
