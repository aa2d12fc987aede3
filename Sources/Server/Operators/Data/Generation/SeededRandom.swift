/// Random numbers of a seed, an item and a field: the same for the same three, whatever else is generated. SplitMix64 (Steele, Lea,
/// Flood, "Fast Splittable Pseudorandom Number Generators"); the name of the field is added as FNV-1a adds bytes.
///
/// Not the random numbers of the standard library, whose choice among elements may change with its version.
struct SeededRandom {
    private var state: UInt64

    /// - Parameter attempt: Which of the values that an item may have, where the first one is taken.
    init(seed: Int64, item: Int, attempt: Int = 0, field: String) {
        state = UInt64(bitPattern: seed)
        state = next() ^ UInt64(item)
        state = next() ^ UInt64(attempt)
        for byte in field.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 on, less than `count`, which is positive.
    mutating func below(_ count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }

    mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        let offset = width == .max ? next() : next().multipliedFullWidth(by: width + 1).high
        return range.lowerBound &+ Int64(bitPattern: offset)
    }

    /// A number from 0 on, less than 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// An element of a list that is not empty.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
