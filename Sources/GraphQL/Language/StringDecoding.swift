/// From the bytes between a string's quotes to its characters (spec §2.9.4). The lexer has checked them, so nothing
/// here can fail.
enum StringDecoding {
    static func string(_ raw: ArraySlice<UInt8>, isBlock: Bool, hasEscapes: Bool) -> String {
        if isBlock { return blockString(raw, hasEscapes: hasEscapes) }
        return String(decoding: hasEscapes ? unescaped(raw)[...] : raw, as: UTF8.self)
    }

    private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): result.append(contentsOf: String(popScalar(&rest)).utf8)
            default: result.append(escape)  // A quote, a backslash, a slash.
            }
        }
        return result
    }

    /// The scalar after `\u`: four digits, two such as a surrogate pair, or any number of them in braces.
    private static func popScalar(_ rest: inout ArraySlice<UInt8>) -> Character {
        var value: UInt32
        if rest.first == UInt8(ascii: "{") {
            let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
            value = hexadecimal(digits)
            rest = rest.dropFirst(digits.count + 2)
        } else {
            value = hexadecimal(rest.prefix(4))
            rest = rest.dropFirst(4)
            if value & 0xFC00 == 0xD800 {
                // U+1F600 is \uD83D\uDE00: ten bits from each half, above 0x10000.
                let low = hexadecimal(rest.dropFirst(2).prefix(4))
                value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
                rest = rest.dropFirst(6)
            }
        }
        return Unicode.Scalar(value).map(Character.init) ?? "\u{FFFD}"
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32 {
        digits.reduce(0) { $0 &<< 4 | UInt32(Character(Unicode.Scalar($1)).hexDigitValue ?? 0) }
    }

    /// BlockStringValue (spec §2.9.4): the indentation that all lines but the first share goes, and so do blank lines
    /// at both ends.
    private static func blockString(_ raw: ArraySlice<UInt8>, hasEscapes: Bool) -> String {
        var lines = splitLines(hasEscapes ? tripleQuotesUnescaped(raw) : raw)
        let indents = lines.dropFirst().compactMap { line in
            line.firstIndex { !isWhitespace($0) }.map { $0 - line.startIndex }
        }
        if let indent = indents.min() {
            for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indent) }
        }
        let isBlank = { (line: ArraySlice<UInt8>) in line.allSatisfy(isWhitespace) }
        while let last = lines.last, isBlank(last) { lines.removeLast() }
        let text = lines.drop(while: isBlank)
        return String(decoding: Array(text.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    private static func splitLines(_ raw: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = raw
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            lines.append(rest[..<end])
            let isPair = rest[end] == UInt8(ascii: "\r") && rest.dropFirst(end + 1 - rest.startIndex).first == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        return lines + [rest]
    }

    private static func tripleQuotesUnescaped(_ raw: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
        var result: [UInt8] = []
        var rest = raw
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.starts(with: quotes) {
                result.append(contentsOf: quotes)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result[...]
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
