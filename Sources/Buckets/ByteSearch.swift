/// Searches for a pattern of bytes in time in proportion to the text, whatever the pattern (Knuth, Morris and Pratt, "Fast pattern
/// matching in strings").
struct ByteSearch: Sendable {
    private let pattern: [UInt8]
    /// For each byte of the pattern, the length of the longest proper prefix of the pattern that ends there.
    private let borders: [Int]

    /// - Parameter pattern: At least one byte.
    init(_ pattern: [UInt8]) {
        var borders = Array(repeating: 0, count: pattern.count)
        var length = 0
        for index in pattern.indices.dropFirst() {
            while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
            if pattern[index] == pattern[length] { length += 1 }
            borders[index] = length
        }
        (self.pattern, self.borders) = (pattern, borders)
    }

    /// The end of the first occurrence that begins at `start` or later.
    func end(in text: [UInt8], from start: Int) -> Int? {
        guard start < text.count else { return nil }
        var length = 0
        for index in start..<text.count {
            while length > 0, text[index] != pattern[length] { length = borders[length - 1] }
            if text[index] == pattern[length] { length += 1 }
            if length == pattern.count { return index + 1 }
        }
        return nil
    }
}
