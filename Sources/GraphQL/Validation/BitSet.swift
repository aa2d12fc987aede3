/// A set of small numbers, one bit each: a union of fragments' uses costs a few words, however many they are.
struct BitSet {
    private var words: [UInt64] = []

    /// No element is taken out, so there is one when there is a word.
    var isEmpty: Bool { words.isEmpty }

    func contains(_ element: Int) -> Bool {
        let word = element / 64
        return word < words.count && words[word] & (1 << UInt64(element % 64)) != 0
    }

    /// Whether the element is new.
    @discardableResult mutating func insert(_ element: Int) -> Bool {
        guard !contains(element) else { return false }
        grow(to: element / 64 + 1)
        words[element / 64] |= 1 << UInt64(element % 64)
        return true
    }

    mutating func formUnion(_ other: BitSet) {
        grow(to: other.words.count)
        for (position, word) in other.words.enumerated() { words[position] |= word }
    }

    func overlaps(_ other: BitSet) -> Bool { zip(words, other.words).contains { $0 & $1 != 0 } }

    /// All elements, in ascending order.
    var elements: [Int] { subtracting(BitSet()) }

    /// The elements that another set lacks, in ascending order.
    func subtracting(_ other: BitSet) -> [Int] {
        var elements: [Int] = []
        for (position, word) in words.enumerated() {
            var rest = position < other.words.count ? word & ~other.words[position] : word
            while rest != 0 {
                elements.append(position * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return elements
    }

    private mutating func grow(to count: Int) {
        if words.count < count { words.append(contentsOf: repeatElement(0, count: count - words.count)) }
    }
}
