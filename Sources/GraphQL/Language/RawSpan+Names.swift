extension RawSpan {
    /// Whether the bytes are the same.
    @inline(__always) func isEqual(to other: RawSpan) -> Bool {
        byteCount == other.byteCount && ends == other.ends
            && (byteCount <= NameEnds.bytesMax || isEqualBetweenEnds(to: other))
    }

    @inline(__always) var ends: NameEnds {
        if byteCount >= 8 { return NameEnds(first: word(at: 0), last: word(at: byteCount &- 8)) }
        if byteCount >= 4 { return NameEnds(first: half(at: 0) | half(at: byteCount &- 4) << 32, last: 0) }
        if byteCount == 0 { return NameEnds(first: 0, last: 0) }
        let bytes = byte(at: 0) | byte(at: byteCount / 2) << 8 | byte(at: byteCount &- 1) << 16
        return NameEnds(first: bytes, last: 0)
    }

    /// The rest of `isEqual`, of names of the same length that have the same ends.
    @inline(never) func isEqualBetweenEnds(to other: RawSpan) -> Bool {
        for offset in stride(from: 8, to: byteCount - 8, by: 8) where word(at: offset) != other.word(at: offset) {
            return false
        }
        return true
    }

    /// A number for the bytes. There is no secret in it: it is for tables whose names the caller does not choose.
    @inline(__always) func hash(_ ends: NameEnds, seed: UInt32) -> UInt64 {
        var hash = Self.mixed(ends.first ^ UInt64(seed) << 32 ^ UInt64(truncatingIfNeeded: byteCount))
        if byteCount > NameEnds.bytesMax {
            for offset in stride(from: 8, to: byteCount - 8, by: 8) { hash = Self.mixed(hash ^ word(at: offset)) }
        }
        return Self.mixed(hash ^ ends.last)
    }

    // Any bytes are a number, and `unsafeLoadUnaligned` traps where they are not all inside.

    @inline(__always) private func word(at offset: Int) -> UInt64 {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always) private func half(at offset: Int) -> UInt64 {
        unsafe UInt64(unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always) private func byte(at offset: Int) -> UInt64 {
        unsafe UInt64(unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self))
    }

    /// Each bit of the product depends on all bits of the word.
    @inline(__always) private static func mixed(_ word: UInt64) -> UInt64 {
        let (high, low) = (word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return high ^ low
    }
}
