/// The set of characters that one position of a regular expression matches.
struct ScalarSet: Sendable, Hashable {
    private(set) var ranges: [ClosedRange<UInt32>]
    var isNegated = false

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        (self.ranges, self.isNegated) = (ranges, isNegated)
    }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        return ranges.contains { $0.contains(value) } != isNegated
    }

    /// Adds the members of another set that is not negated.
    mutating func add(_ other: ScalarSet) {
        ranges += other.isNegated ? Self.complement(of: other.ranges) : other.ranges
    }

    /// The same set with ASCII letters in both cases.
    var ignoringCase: ScalarSet {
        var set = self
        for (letters, offset) in [(UInt32(0x41)...0x5A, Int64(32)), (0x61...0x7A, -32)] {
            for range in ranges where range.overlaps(letters) {
                let common = range.clamped(to: letters)
                set.ranges.append(
                    UInt32(Int64(common.lowerBound) + offset)...UInt32(Int64(common.upperBound) + offset))
            }
        }
        return set
    }

    private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var (gaps, next): ([ClosedRange<UInt32>], UInt32) = ([], 0)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        return next <= 0x10_FFFF ? gaps + [next...0x10_FFFF] : gaps
    }

    /// What `.` matches: everything except line terminators.
    static let anyInLine = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029], isNegated: true)
    /// `\d`
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`
    static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
}
