/// Up to 64 bytes of a source, classified together: one bit a byte, the first byte's the lowest.
///
/// Names and runs of white space are short and of every length: reading them byte by byte, a processor guesses their end
/// wrong for nearly each, which takes it longer than the bytes themselves. Here the end is a number and no guess, and no
/// byte waits for the end of what stands before it.
struct SourceBlock {
    static var byteCountMax: Int { 64 }

    /// Bytes that may stand in a name (spec §2.1.9 NameContinue).
    private let names: UInt64
    /// Bytes where a token begins, unless one before it is longer than its bits show: the first of each run of name
    /// bytes, and every other byte but spaces, line feeds and commas, most of what is ignored (spec §2.1.7).
    let starts: UInt64

    /// The bytes from there to the end of the source, or 64 of them.
    ///
    /// Memory safety: 64 bytes are read from `offset` only if there are as many; the rest of a source is read from 64 bytes
    /// before its end, or copied into 64 bytes of zeros. `offset` is below `source.count`.
    @inline(__always) init(_ source: UnsafeRawBufferPointer, at offset: Int) {
        let byteCount = source.count &- offset
        let classes =
            unsafe byteCount >= Self.byteCountMax
            ? Classes(source.baseAddress.unsafelyUnwrapped + offset)
            : Classes(lastOf: source, byteCount: byteCount)
        names = classes.names
        starts = (names & ~(names &<< 1)) | ~(names | classes.ignored)
    }

    /// How many name bytes stand from this one on within the block.
    @inline(__always) func nameCount(at place: Int) -> Int { (~(names &>> UInt64(place))).trailingZeroBitCount }

    private struct Classes {
        var names: UInt64 = 0
        var ignored: UInt64 = 0

        /// Of 64 bytes that are there.
        @inline(__always) init(_ bytes: UnsafeRawPointer) {
            for place in 0..<4 {
                let bytes = unsafe SixteenBytes(bytes + 16 &* place)
                names |= bytes.names &<< UInt64(16 &* place)
                ignored |= bytes.ignored &<< UInt64(16 &* place)
            }
        }

        /// Of the last bytes of a source, fewer than 64. What follows them is ignored.
        @inline(never) init(lastOf source: UnsafeRawBufferPointer, byteCount: Int) {
            let before = byteCountMax - byteCount
            if source.count >= byteCountMax {
                unsafe self.init(source.baseAddress.unsafelyUnwrapped + (source.count - byteCountMax))
                names = names &>> UInt64(before)
                ignored = ignored &>> UInt64(before)
            } else {
                var bytes = SIMD64<UInt8>(repeating: 0)
                self = unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
                    unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.suffix(byteCount)))
                    return unsafe Self(bytes.baseAddress.unsafelyUnwrapped)
                }
            }
            ignored |= UInt64.max &<< UInt64(byteCount)
        }
    }
}

/// Sixteen bytes of a source, classified together.
///
/// In what is computed of a byte, its highest bit is the answer, if the byte is ASCII; the others mean nothing.
private struct SixteenBytes {
    private let bytes: SIMD16<UInt8>

    /// Sixteen bytes that are there.
    @inline(__always) init(_ base: UnsafeRawPointer) { bytes = unsafe base.loadUnaligned(as: SIMD16<UInt8>.self) }

    /// Which may stand in a name.
    @inline(__always) var names: UInt64 {
        bits(Self.isWithin("a", "z", bytes | 0x20) | Self.isWithin("0", "9", bytes) | isEqual("_"))
    }

    /// Which are spaces, line feeds and commas.
    @inline(__always) var ignored: UInt64 { bits(isEqual(" ") | isEqual("\n") | isEqual(",")) }

    @inline(__always)
    private static func isWithin(
        _ first: Unicode.Scalar, _ last: Unicode.Scalar, _ bytes: SIMD16<UInt8>
    ) -> SIMD16<UInt8> {
        (bytes &+ (0x80 - UInt8(ascii: first))) ^ (bytes &+ (0x7F - UInt8(ascii: last)))
    }

    @inline(__always) private func isEqual(_ byte: Unicode.Scalar) -> SIMD16<UInt8> {
        (bytes ^ UInt8(ascii: byte)) &- 1
    }

    /// One bit for each ASCII byte that has its highest bit in `mask`.
    ///
    /// Memory safety: both types have sixteen bytes, and any bits are a value of the second.
    @inline(__always) private func bits(_ mask: SIMD16<UInt8>) -> UInt64 {
        let words = unsafe unsafeBitCast(mask & ~bytes & 0x80, to: SIMD2<UInt64>.self)
        // The product moves each byte's highest bit to its place in the highest byte; no two meet on the way there.
        let factor: UInt64 = 0x0002_0408_1020_4081
        return (UInt64(littleEndian: words[0]) &* factor) &>> 56
            | ((UInt64(littleEndian: words[1]) &* factor) &>> 56) &<< 8
    }
}
