/// Comparison in a time that does not depend on where two secrets differ.
public enum ConstantTime {
    /// Whether both are the same. The lengths are no secret.
    public static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }

    /// Whether both texts are the same bytes.
    public static func isEqual(_ one: String, _ other: String) -> Bool { isEqual(Array(one.utf8), Array(other.utf8)) }
}
