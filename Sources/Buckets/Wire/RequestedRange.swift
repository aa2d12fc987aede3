/// The Range header (RFC 9110 §14.1.2): one range of bytes. As in S3, multiple ranges, other units and malformed values
/// are ignored.
enum RequestedRange: Sendable, Hashable {
    /// `bytes=first-last`; to the end without `last`.
    case from(Int, last: Int?)
    /// `bytes=-count`.
    case suffix(Int)

    init?(_ text: String) {
        guard text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        switch (parts[0].isEmpty, parts[1].isEmpty) {
        case (true, false):
            guard let last else { return nil }
            self = .suffix(last)
        case (false, true):
            guard let first else { return nil }
            self = .from(first, last: nil)
        case (false, false):
            guard let first, let last, first <= last else { return nil }
            self = .from(first, last: last)
        case (true, true): return nil
        }
    }

    /// The bytes of an object; nil if the range is not satisfiable (RFC 9110 §14.1.2). Every suffix of an empty object is empty.
    func range(ofSize size: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < size else { return nil }
            return first..<min(size, last.map { $0 < Int.max ? $0 + 1 : $0 } ?? size)
        case .suffix(let count):
            guard count > 0 else { return nil }
            return max(0, size - count)..<size
        }
    }

    /// Parses decimal digits; a number that is too large becomes the largest one.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text) ?? .max
    }
}
