/// Addresses that have their first bits in common, such as `10.0.0.0/8` (RFC 4632 §3.1).
struct IPRange: Sendable, Hashable {
    private let base: IPAddress
    /// Of 128.
    private let prefixBitCount: Int

    /// Reads an address alone, or with the number of bits that are in common; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let base = IPAddress(String(parts[0])) else { return nil }
        let bitCount = parts[0].contains(":") ? 128 : 32
        let prefix = parts.count == 2 ? Int(parts[1]) : bitCount
        guard let prefix, (0...bitCount).contains(prefix) else { return nil }
        self.base = base
        prefixBitCount = 128 - bitCount + prefix
    }

    /// Whether an address has these first bits.
    func contains(_ address: IPAddress) -> Bool {
        let (wholeBytes, bits) = prefixBitCount.quotientAndRemainder(dividingBy: 8)
        guard address.bytes[..<wholeBytes] == base.bytes[..<wholeBytes] else { return false }
        guard bits > 0 else { return true }
        return (address.bytes[wholeBytes] ^ base.bytes[wholeBytes]) >> UInt8(8 - bits) == 0
    }
}
