internal import JSON

/// The size of an item as DynamoDB counts it: of each attribute that is present the UTF-8 bytes of its name and the size
/// of its value (Amazon DynamoDB, "Item sizes and formats").
enum ItemSize {
    /// A bound that is not below the size of a value, and is known without reading the value.
    static func boundOfValue(byteCount: Int, isJSON: Bool) -> Int {
        // Of JSON an element costs a byte and a comma at least, for which a list counts two; a list in a list, "[],",
        // counts four, and the outermost has no comma.
        isJSON ? 2 * byteCount + 3 : byteCount
    }

    /// More than any number's size: 17 digits in pairs, a byte more, and one for a sign.
    static let numberBytesMax = 21

    /// The bytes of a whole number: one for two significant digits, and one; one more below zero.
    static func bytes(of integer: Int64) -> Int {
        var digits = integer.magnitude
        if digits == 0 { return 1 }
        while digits % 10 == 0 { digits /= 10 }
        var count = 0
        while digits > 0 { (digits, count) = (digits / 10, count + 1) }
        return (count + 1) / 2 + 1 + (integer < 0 ? 1 : 0)
    }

    /// The same of a number in decimal notation.
    static func bytes(ofNumber text: some Sequence<UInt8>) -> Int {
        // Zeros before the first other digit and after the last one are not significant.
        var (count, zeros, isNegative) = (0, 0, false)
        loop: for byte in text {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "0"): if count > 0 { zeros += 1 }
            case UInt8(ascii: "1")...UInt8(ascii: "9"): (count, zeros) = (count + zeros + 1, 0)
            case UInt8(ascii: "e"), UInt8(ascii: "E"): break loop
            default: break
            }
        }
        return count == 0 ? 1 : (count + 1) / 2 + 1 + (isNegative ? 1 : 0)
    }

    /// The bytes of a JSON value: a list or map has three and one for each element, besides its elements and names.
    ///
    /// Memory safety: the bytes are borrowed for the call, and ranges come from the scanner that read them.
    static func bytes(ofJSON json: UnsafeRawBufferPointer) -> Int {
        var scanner = unsafe JSONScanner(json, depthMax: 1_000)
        var count = 0
        // What is no JSON is refused when it is written.
        do throws(JSONError) { try unsafe add(&scanner, json, to: &count) } catch { return json.count }
        return count
    }

    private static func add(
        _ scanner: inout JSONScanner, _ json: UnsafeRawBufferPointer, to count: inout Int
    ) throws(JSONError) {
        switch try scanner.peekKind() {
        case .object:
            count += 3
            try scanner.beginObject()
            while let name = try scanner.nextKey() {
                count += 1 + length(of: name, scanner)
                try unsafe add(&scanner, json, to: &count)
            }
        case .array:
            count += 3
            try scanner.beginArray()
            while try scanner.nextElement() {
                count += 1
                try unsafe add(&scanner, json, to: &count)
            }
        case .string: count += length(of: try scanner.readString(), scanner)
        case .number: unsafe count += bytes(ofNumber: json[try scanner.readNumber()])
        case .bool:
            _ = try scanner.readBool()
            count += 1
        case .null:
            try scanner.readNull()
            count += 1
        }
    }

    private static func length(of text: JSONText, _ scanner: JSONScanner) -> Int {
        guard text.hasEscapes else { return text.range.count }
        var decoded: [UInt8] = []
        scanner.append(text, to: &decoded)
        return decoded.count
    }

    /// The bytes of an attribute, its name included; none of one that is absent.
    static func bytes(of value: Value, in column: Column) -> Int {
        switch (value, column.type) {
        case (.null, _): return 0
        case (.integer, .boolean): return column.name.utf8.count + 1
        case (.integer(let integer), _): return column.name.utf8.count + bytes(of: integer)
        case (.real(let real), _): return column.name.utf8.count + bytes(ofNumber: "\(real)".utf8)
        case (.text(var text), .json):
            return column.name.utf8.count + text.withUTF8 { unsafe bytes(ofJSON: UnsafeRawBufferPointer($0)) }
        case (.text(let text), _): return column.name.utf8.count + text.utf8.count
        }
    }

    /// A bound of the same that is known at once.
    static func bound(of value: Value, in column: Column) -> Int {
        switch value {
        case .null: 0
        case .integer, .real: column.name.utf8.count + numberBytesMax
        case .text(let text):
            column.name.utf8.count + boundOfValue(byteCount: text.utf8.count, isJSON: column.type == .json)
        }
    }
}

extension StoreError {
    /// DynamoDB's message of a put.
    static let itemTooLarge = StoreError(.invalidRequest, "Item size has exceeded the maximum allowed size")
    /// DynamoDB's message of an update.
    static let updatedItemTooLarge = StoreError(
        .invalidRequest, "Item size to update has exceeded the maximum allowed size")
}
