import GraphQL
import JSON
import Tables

/// A leaf as filters compare it: by value, whatever notation it came in. `5`, `5.0` and `5e0` are one number; an enum
/// is its name; text is its UTF-8 bytes, as in the store, and not what Unicode holds to be equivalent.
enum EventValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite, and no whole number of 64 bits.
    case real(Double)
    case text(ExactText)

    /// What an argument was coerced to; nil of a list or an object.
    init?(_ value: CoercedValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .int(let integer): self = .integer(integer)
        case .double(let double): self.init(double)
        case .string(let text), .enumValue(let text): self = .text(ExactText(text))
        case .list, .object: return nil
        }
    }

    /// What stands in an event; nil of a list or an object.
    init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .string(let text): self = .text(ExactText(text))
        case .number(let text):
            if let integer = Int64(text) {
                self = .integer(integer)
            } else if let double = Double(text), double.isFinite {
                self.init(double)
            } else {
                self = .text(ExactText(text))
            }
        case .array, .object: return nil
        }
    }

    private init(_ double: Double) {
        self = Int64(exactly: double).map(EventValue.integer) ?? .real(double)
    }

    /// The bytes of a text; 0 of the others.
    var byteCount: Int {
        if case .text(let text) = self { text.text.utf8.count } else { 0 }
    }

    /// The order of two numbers or of two texts; nil where there is none.
    func isLess(than other: EventValue) -> Bool? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .real(let right)): Double(left) < right
        case (.real(let left), .integer(let right)): left < Double(right)
        case (.real(let left), .real(let right)): left < right
        case (.text(let left), .text(let right)): left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        default: nil
        }
    }
}

extension ExactText {
    func hasPrefix(_ prefix: ExactText) -> Bool { text.utf8.starts(with: prefix.text.utf8) }

    /// In time that is linear in both.
    func contains(_ part: ExactText) -> Bool {
        var (text, part) = (text, part.text)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                unsafe TextSearch.matches(UnsafeRawBufferPointer(part), in: UnsafeRawBufferPointer(text))
            }
        }
    }
}
