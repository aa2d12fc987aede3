extension RequestID {
    /// Reads the written form; nil for anything else.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard text.utf8.count == Self.byteCount, digits.count == 32,
            let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
        else { return nil }
        self.init(randomBits: high, low)
        guard description == text.lowercased() else { return nil }
    }
}
