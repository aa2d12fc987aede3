#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Looks for one text inside of others, by their bytes, in time that is linear in both: Knuth, Morris and Pratt, "Fast
/// Pattern Matching in Strings" (1977). SQLite's `instr` compares at each place, so a repetitive text of a megabyte and
/// a repetitive operand of half of it took seconds.
///
/// Memory safety: bytes are borrowed for a call. `matched` stays below `pattern.count`, since a full match ends the search, and so
/// do the entries of `next`; `memchr` and `memcmp` are given what remains of the text.
public struct TextSearch: Sendable {
    private let pattern: [UInt8]
    /// Where in the pattern to go on after a mismatch at each of its places; -1 goes on with the next byte of the text.
    private let next: [Int32]

    /// Prepares the search for a pattern; its length fits 32 bits.
    public init(for pattern: UnsafeRawBufferPointer) {
        self.pattern = unsafe Array(pattern)
        var next = [Int32](repeating: -1, count: pattern.count)
        var candidate = 0
        for place in pattern.indices.dropFirst() {
            if unsafe pattern[place] == pattern[candidate] {
                next[place] = next[candidate]
            } else {
                next[place] = Int32(truncatingIfNeeded: candidate)
                while candidate >= 0, unsafe pattern[place] != pattern[candidate] { candidate = Int(next[candidate]) }
            }
            candidate += 1
        }
        self.next = next
    }

    /// Whether the pattern is in the text. An empty one is in every text.
    public func matches(in text: UnsafeRawBufferPointer) -> Bool { unsafe end(in: text) != nil }

    /// The end of the first occurrence of the pattern; nil if there is none. An empty one is at the beginning.
    public func end(in text: UnsafeRawBufferPointer) -> Int? {
        guard pattern.count <= text.count else { return nil }
        guard let first = pattern.first, let start = text.baseAddress else { return 0 }
        return unsafe pattern.withUnsafeBufferPointer { pattern in
            unsafe next.withUnsafeBufferPointer { next in
                var (position, matched) = (0, 0)
                while position < text.count {
                    if matched == 0 {
                        guard let found = unsafe memchr(start + position, Int32(first), text.count - position) else {
                            return nil
                        }
                        position = unsafe UnsafeRawPointer(found) - start + 1
                        matched = 1
                    } else if unsafe text[position] == pattern[matched] {
                        position += 1
                        matched += 1
                    } else {
                        matched = unsafe Int(next[matched])
                        if matched < 0 { (position, matched) = (position + 1, 0) }
                        continue
                    }
                    if matched == pattern.count { return position }
                }
                return nil
            }
        }
    }

    /// The characters of a text up to a NUL: all bytes but those that continue a character.
    static func characterCount(of text: UnsafeRawBufferPointer) -> Int64 {
        var count: Int64 = 0
        for index in text.indices {
            let byte = unsafe text[index]
            if byte == 0 { break }
            if byte & 0xC0 != 0x80 { count += 1 }
        }
        return count
    }

    /// Up to this product of two lengths comparing at each place is quicker than preparing a search.
    static let plainProductMax = 4_096

    /// Whether a short text has a short part, without preparation; for lengths whose product is bounded.
    static func plainlyMatches(_ part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= text.count else { return false }
        guard let first = unsafe part.first, let start = text.baseAddress, let pattern = part.baseAddress else {
            return true
        }
        // The last place at which the part could begin.
        let end = text.count - part.count
        var position = 0
        while position <= end {
            guard let found = unsafe memchr(start + position, Int32(first), end - position + 1) else { return false }
            if unsafe memcmp(found, pattern, part.count) == 0 { return true }
            position = unsafe UnsafeRawPointer(found) - start + 1
        }
        return false
    }

    /// Whether a text has a part, once: for callers who do not keep the search.
    public static func matches(_ part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        unsafe text.count.multipliedReportingOverflow(by: part.count).partialValue <= plainProductMax
            ? plainlyMatches(part, in: text) : TextSearch(for: part).matches(in: text)
    }
}
