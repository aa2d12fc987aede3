/// Eight bytes of a source, classified together.
///
/// Names and runs of white space are short and of every length: reading them byte by byte, a processor guesses their end
/// wrong for nearly each, which takes it longer than the bytes themselves. Here the end is a number and no guess.
struct EightBytes {
    /// The first byte is the lowest.
    private let word: UInt64

    /// Eight bytes that are there.
    @inline(__always) init(_ base: UnsafeRawPointer, at offset: Int) {
        word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// How many from the first on may stand in a name (spec §2.1.9 NameContinue).
    @inline(__always) var nameCount: Int {
        let bytes = word & Self.low
        let letters = bytes | Self.every(0x20)
        let isLetter = Self.isAtLeast(UInt8(ascii: "a"), letters) & ~Self.isAtLeast(UInt8(ascii: "z") + 1, letters)
        let isDigit = Self.isAtLeast(UInt8(ascii: "0"), bytes) & ~Self.isAtLeast(UInt8(ascii: "9") + 1, bytes)
        return count(isLetter | isDigit | Self.isEqual(UInt8(ascii: "_"), bytes))
    }

    /// How many from the first on are spaces, line feeds and commas, most of what is ignored (spec §2.1.7).
    @inline(__always) var ignoredCount: Int {
        let bytes = word & Self.low
        return count(
            Self.isEqual(UInt8(ascii: " "), bytes) | Self.isEqual(UInt8(ascii: "\n"), bytes)
                | Self.isEqual(UInt8(ascii: ","), bytes))
    }

    /// How many bytes, ASCII ones, from the first on have their highest bit in `mask`.
    @inline(__always) private func count(_ mask: UInt64) -> Int {
        (~(mask & ~word) & ~Self.low).trailingZeroBitCount >> 3
    }

    // The highest bit of a byte tells; the others tell nothing. The bytes have seven bits, so no sum of two runs into the
    // next byte.

    @inline(__always) private static func isAtLeast(_ byte: UInt8, _ bytes: UInt64) -> UInt64 {
        bytes &+ every(0x80 - byte)
    }

    @inline(__always) private static func isEqual(_ byte: UInt8, _ bytes: UInt64) -> UInt64 {
        ~((bytes ^ every(byte)) &+ low)
    }

    private static var low: UInt64 { 0x7F7F_7F7F_7F7F_7F7F }

    @inline(__always) private static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
