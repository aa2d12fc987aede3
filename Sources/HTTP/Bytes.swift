#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension UInt8 {
    /// RFC 9110 §5.6.2: tchar. Two words hold one bit per ASCII character: letters, digits and ``!#$%&'*+-.^_`|~``.
    var isToken: Bool {
        let word: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        // `&>>` shifts by the lowest six bits, which are the place within the word.
        return self < 128 && word &>> UInt64(self) & 1 == 1
    }

    /// RFC 9110 §5.6.3: the whitespace that may surround a field value.
    var isWhitespace: Bool { self == ASCII.space || self == ASCII.tab }

    var isDigit: Bool { self &- ASCII.zero < 10 }

    /// RFC 9110 §5.5: VCHAR, obs-text, SP or HTAB. What is left out could end a line or a string somewhere else.
    var isFieldContent: Bool { (self >= 0x20 && self != 0x7F) || self == ASCII.tab }

    var hexDigitValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self) - 0x37
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self) - 0x57
        default: nil
        }
    }

    var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension UInt64 {
    /// Whether one of the eight bytes is below 0x20 or is 0x7F. Taking 0x20 from a byte below it, or 1 from a byte that
    /// is zero, sets the highest bit of a byte that did not have it: never missed, and where the borrow reaches the next
    /// byte, seen once too often.
    fileprivate var mayHoldControl: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let delete = self ^ ones &* 0x7F
        let marks = (self &- ones &* 0x20) & ~self | (delete &- ones) & ~delete
        return marks & (ones &* 0x80) != 0
    }
}

extension Span<UInt8> {
    /// The first place at or after `start` that holds `byte`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe withUnsafeBufferPointer { bytes in
            // memchr reads only `count - start` bytes from `start`, which lies within the span.
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        }
    }

    /// Whether the bytes begin with `prefix`.
    func starts(with prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe prefix.withUnsafeBytes { prefix in
                guard let base = bytes.baseAddress, let start = prefix.baseAddress else { return true }
                // Both hold as many bytes as are compared.
                return unsafe memcmp(base, start, prefix.count) == 0
            }
        }
    }

    /// The first place in `range` of a byte that is no token character, or its end.
    ///
    /// Memory safety: `extracting` checks the range, also in release builds, and indexes are those of the part.
    func endOfToken(in range: Range<Int>) -> Int {
        unsafe extracting(range).withUnsafeBufferPointer { bytes in
            for index in bytes.indices where unsafe !bytes[index].isToken { return range.lowerBound + index }
            return range.upperBound
        }
    }

    /// Whether the bytes in `range` are `word`, which is written in lower case, in any case.
    func matches(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        // Both are as long, so that no index leaves either; this way a byte takes half the time of two checked ones.
        let word = unsafe word.utf8Start
        return unsafe extracting(range).withUnsafeBufferPointer { bytes in
            for index in bytes.indices where unsafe bytes[index].lowercased != word[index] { return false }
            return true
        }
    }

    /// Whether the bytes in `range` are exactly `word`.
    func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        let word = unsafe word.utf8Start
        return unsafe extracting(range).withUnsafeBufferPointer { bytes in
            for index in bytes.indices where unsafe bytes[index] != word[index] { return false }
            return true
        }
    }

    /// `range` without whitespace at either end.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, self[lower].isWhitespace { lower += 1 }
        while lower < upper, self[upper - 1].isWhitespace { upper -= 1 }
        return lower..<upper
    }

    /// Whether every byte in `range` may stand in a field value.
    func isFieldContent(_ range: Range<Int>) -> Bool {
        unsafe extracting(range).withUnsafeBytes { bytes in
            var place = 0
            // Eight bytes at a time, the last eight by going back as far as needed; each is loaded where eight are left.
            while place < bytes.count, bytes.count >= 8 {
                let word = unsafe bytes.loadUnaligned(
                    fromByteOffset: Swift.min(place, bytes.count - 8), as: UInt64.self)
                if word.mayHoldControl { break }
                place += 8
            }
            while place < bytes.count {
                guard unsafe bytes[place].isFieldContent else { return false }
                place += 1
            }
            return true
        }
    }

    /// RFC 9110 §5.6.1: the members of a comma-separated list, trimmed, the empty ones left out.
    func forEachListMember(
        in range: Range<Int>, separator: UInt8 = ASCII.comma, _ body: (Range<Int>) -> Void
    ) {
        var lower = range.lowerBound
        while lower < range.upperBound {
            let upper = firstIndex(of: separator, from: lower).map { Swift.min($0, range.upperBound) }
            let member = trimmed(lower..<(upper ?? range.upperBound))
            if !member.isEmpty { body(member) }
            lower = (upper ?? range.upperBound) + 1
        }
    }
}
