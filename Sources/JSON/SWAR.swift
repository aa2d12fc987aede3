/// Eight bytes looked at in one step ("SIMD within a register"). A result is zero when no byte has the property; it
/// does not show reliably which bytes have it.
@usableFromInline enum SWAR {
    @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Non-zero when a byte is below U+0020, a quote or a backslash.
    ///
    /// Subtracting n from each byte borrows from its high bit when the byte is below n; bytes from 0x80 on are masked
    /// out. Equality with a quote is "the byte xor the quote is below one".
    @inlinable static func bytesToEscape(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- ones &* 0x20) & ~word
        return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
    }
}
