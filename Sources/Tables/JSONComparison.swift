internal import JSON

extension AttributeType {
    /// The first bytes that the JSON text of such a value may have, all numbers as 0; none of a type that is never stored.
    var firstBytes: [UInt8] {
        switch self {
        case .list: [UInt8(ascii: "[")]
        case .map: [UInt8(ascii: "{")]
        case .string: [UInt8(ascii: "\"")]
        case .number: [UInt8(ascii: "0")]
        case .bool: [UInt8(ascii: "t"), UInt8(ascii: "f")]
        case ._null: [UInt8(ascii: "n")]
        case .binary, .binarySet, .numberSet, .stringSet: []
        }
    }
}

/// What conditions ask of JSON texts, read in one pass and not built.
///
/// Memory safety: all bytes are borrowed for the call; ranges come from the scanner that read the same bytes.
enum JSONComparison {
    /// What an element of a list is compared with.
    ///
    /// The bytes of a string are borrowed for the comparison.
    @safe enum Element {
        /// A string's characters.
        case text(UnsafeRawBufferPointer)
        /// A number, or a truth value as 0 or 1.
        case integer(Int64)
        /// A number.
        case real(Double)
    }

    /// As deep as SQLite's own functions go (`JSON_MAX_DEPTH`).
    private static let depthMax = 1_000

    /// Whether an array has an element that is equal: strings by their characters, numbers by value.
    static func contains(_ json: UnsafeRawBufferPointer, _ element: Element) throws(JSONError) -> Bool {
        var scanner = unsafe JSONScanner(json, depthMax: depthMax)
        guard try scanner.peekKind() == .array else { return false }
        try scanner.beginArray()
        while try scanner.nextElement() {
            switch (element, try scanner.peekKind()) {
            case (.text(let wanted), .string):
                if unsafe equals(try scanner.readString(), in: json, &scanner, wanted) { return true }
            case (.integer(let wanted), .number):
                if Number(scanner.text(try scanner.readNumber())) == .integer(wanted) { return true }
            case (.real(let wanted), .number):
                if Number(scanner.text(try scanner.readNumber())) == Number(wanted) { return true }
            case (.integer(let wanted), .bool):
                if (try scanner.readBool() ? 1 : 0) == wanted { return true }
            default: try scanner.skipValue()
            }
        }
        return false
    }

    /// Whether an array has a string of a set; false of what is no array.
    static func containsAny(_ json: UnsafeRawBufferPointer, of wanted: TextSet) -> Bool {
        do throws(JSONError) {
            var decoded: [UInt8] = []
            var scanner = unsafe JSONScanner(json, depthMax: depthMax)
            guard try scanner.peekKind() == .array else { return false }
            try scanner.beginArray()
            while try scanner.nextElement() {
                guard try scanner.peekKind() == .string else {
                    try scanner.skipValue()
                    continue
                }
                let text = try scanner.readString()
                guard text.hasEscapes else {
                    if unsafe wanted.contains(bytes(json, text.range)) { return true }
                    continue
                }
                decoded.removeAll(keepingCapacity: true)
                scanner.append(text, to: &decoded)
                if unsafe decoded.withUnsafeBytes({ unsafe wanted.contains($0) }) { return true }
            }
            return false
        } catch { return false }
    }

    /// The strings of an array; none of what is no array of strings.
    static func texts(of json: UnsafeRawBufferPointer) -> TextSet {
        do throws(JSONError) {
            var texts: [String] = []
            var scanner = unsafe JSONScanner(json, depthMax: depthMax)
            try scanner.beginArray()
            while try scanner.nextElement() { texts.append(scanner.string(try scanner.readString())) }
            return unsafe TextSet(texts: texts, json: String(decoding: json, as: UTF8.self))
        } catch { return TextSet(texts: []) }
    }

    /// What a JSON text is by its first byte: that byte, or of any number that of 0.
    static func kind(ofFirst byte: UInt8) -> UInt8 {
        let isNumber = byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        return isNumber ? UInt8(ascii: "0") : byte
    }

    /// How many entries an array or object has; an error of anything else.
    static func entryCount(of json: UnsafeRawBufferPointer) throws(JSONError) -> Int {
        var scanner = unsafe JSONScanner(json, depthMax: depthMax)
        var count = 0
        if try scanner.peekKind() == .object {
            try scanner.beginObject()
            while try scanner.nextKey() != nil {
                try scanner.skipValue()
                count += 1
            }
        } else {
            try scanner.beginArray()
            while try scanner.nextElement() {
                try scanner.skipValue()
                count += 1
            }
        }
        return count
    }

    /// Whether two texts have the same kind and the same entries, in order: numbers by value, what is nested in an entry
    /// as it is written. Two numbers by themselves are equal only if both are whole or both are not. Ends at the first
    /// difference.
    static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        do throws(JSONError) { return try unsafe compare(left, right) } catch { return false }
    }

    private static func compare(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) throws(JSONError) -> Bool {
        var first = unsafe JSONScanner(left, depthMax: depthMax)
        var second = unsafe JSONScanner(right, depthMax: depthMax)
        let kind = try first.peekKind()
        guard try second.peekKind() == kind else { return false }
        switch kind {
        case .object:
            try first.beginObject()
            try second.beginObject()
            while let key = try first.nextKey() {
                guard let other = try second.nextKey(), first.string(key).isExactly(second.string(other)),
                    try unsafe areEntriesEqual(&first, left, &second, right)
                else { return false }
            }
            guard try second.nextKey() == nil else { return false }
        case .array:
            try first.beginArray()
            try second.beginArray()
            while try first.nextElement() {
                guard try second.nextElement(), try unsafe areEntriesEqual(&first, left, &second, right) else {
                    return false
                }
            }
            guard try !second.nextElement() else { return false }
        default:
            guard try unsafe areEntriesEqual(&first, left, &second, right) else { return false }
        }
        try first.finish()
        try second.finish()
        return true
    }

    private static func areEntriesEqual(
        _ first: inout JSONScanner, _ left: UnsafeRawBufferPointer, _ second: inout JSONScanner,
        _ right: UnsafeRawBufferPointer
    ) throws(JSONError) -> Bool {
        let kind = try first.peekKind()
        guard try second.peekKind() == kind else { return false }
        switch kind {
        case .string:
            let (text, other) = (try first.readString(), try second.readString())
            if !text.hasEscapes, !other.hasEscapes {
                return unsafe bytes(left, text.range).elementsEqual(bytes(right, other.range))
            }
            var (decoded, otherDecoded): ([UInt8], [UInt8]) = ([], [])
            first.append(text, to: &decoded)
            second.append(other, to: &otherDecoded)
            return decoded == otherDecoded
        case .number:
            return Number(first.text(try first.readNumber())) == Number(second.text(try second.readNumber()))
        case .bool: return try first.readBool() == second.readBool()
        case .null:
            try first.readNull()
            try second.readNull()
            return true
        case .object, .array:
            return unsafe bytes(left, try first.skipValue()).elementsEqual(bytes(right, try second.skipValue()))
        }
    }

    private static func bytes(_ json: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: json[range])
    }

    private static func equals(
        _ text: JSONText, in json: UnsafeRawBufferPointer, _ scanner: inout JSONScanner,
        _ wanted: UnsafeRawBufferPointer
    ) -> Bool {
        guard text.hasEscapes else { return unsafe bytes(json, text.range).elementsEqual(wanted) }
        // An escape is longer than what it stands for, never more than six times.
        guard text.range.count <= 6 * wanted.count else { return false }
        var decoded: [UInt8] = []
        scanner.append(text, to: &decoded)
        return unsafe decoded.elementsEqual(wanted)
    }

    /// A number by its value, whatever its spelling.
    private enum Number: Equatable {
        case integer(Int64)
        /// No whole number of 64 bits.
        case real(Double)

        init(_ text: String) {
            if let integer = Int64(text) { self = .integer(integer) } else { self.init(Double(text) ?? .nan) }
        }

        init(_ double: Double) {
            self = Int64(exactly: double).map(Number.integer) ?? .real(double)
        }
    }
}
