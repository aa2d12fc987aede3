/// Text that is equal when its bytes are: a key for dictionaries and sets of what clients send.
///
/// `String` compares by canonical equivalence, for which U+212A is the letter K, and an accented letter its two halves.
/// JSON, GraphQL, DynamoDB and SQLite compare names and text by code point.
public struct ExactText: Sendable, Hashable {
    /// The text.
    public let text: String

    /// The text as a key.
    public init(_ text: String) { self.text = text }

    /// Whether both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension ExactText: Comparable {
    /// The order of the bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    /// The text of a literal.
    public init(stringLiteral text: String) { self.init(text) }
}

extension String {
    /// Whether both texts have the same bytes.
    ///
    /// Memory safety: the bytes of both texts are borrowed for the closure only.
    public func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isEqual = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe other.utf8.withContiguousStorageIfAvailable { unsafe bytes.elementsEqual($0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Hashes the bytes, as `isExactly` compares them.
    ///
    /// Memory safety: the bytes are borrowed for the closure only.
    public func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}
