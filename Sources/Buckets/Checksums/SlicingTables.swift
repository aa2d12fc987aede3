/// The tables of a reflected CRC that processes eight bytes at a time: table `k` has the contribution of a byte that is
/// followed by `k` bytes.
///
/// Kounavis and Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators".
struct SlicingTables<Word: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// Eight tables of 256 words.
    let words: [Word]

    /// Tables of a polynomial whose bits are reversed.
    init(polynomial: Word) {
        var words = [Word](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var word = Word(truncatingIfNeeded: byte)
            for _ in 0..<8 { word = word & 1 == 0 ? word >> 1 : word >> 1 ^ polynomial }
            words[byte] = word
        }
        for byte in 0..<256 {
            for table in 1..<8 {
                let before = words[(table - 1) * 256 + byte]
                words[table * 256 + byte] = before >> 8 ^ words[Int(truncatingIfNeeded: before & 0xFF)]
            }
        }
        self.words = words
    }

    /// Extends a CRC by bytes. All bits are inverted before and after.
    ///
    /// Memory safety: eight bytes are read where at least eight are left. Indices of `tables` are a table's number
    /// below 8 times 256 and a byte.
    @inline(__always)
    func update(_ value: Word, _ bytes: [UInt8]) -> Word {
        unsafe words.withUnsafeBufferPointer { tables in
            unsafe bytes.withUnsafeBytes { bytes in
                var crc = ~value
                var index = 0
                while bytes.count - index >= 8 {
                    var word = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    word ^= UInt64(truncatingIfNeeded: crc)
                    var next: Word = 0
                    for table in 0..<8 {
                        let byte = Int(truncatingIfNeeded: word >> UInt64(8 * (7 - table)) & 0xFF)
                        next ^= unsafe tables[table << 8 | byte]
                    }
                    crc = next
                    index += 8
                }
                while index < bytes.count {
                    let byte = Int(truncatingIfNeeded: crc & 0xFF) ^ Int(unsafe bytes[index])
                    crc = crc >> 8 ^ (unsafe tables[byte])
                    index += 1
                }
                return ~crc
            }
        }
    }
}
