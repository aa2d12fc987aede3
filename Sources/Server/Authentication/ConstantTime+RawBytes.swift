import Encodings

extension ConstantTime {
    /// Whether both have the same bytes, in a time that does not depend on where they differ.
    ///
    /// Memory safety: both have as many bytes as are compared, and words are loaded from within them.
    static func isEqual(_ bytes: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.withUnsafeBytes { own in
            guard own.count == other.count else { return false }
            var (difference, position): (UInt64, Int) = (0, 0)
            while position + 8 <= own.count {
                unsafe difference |=
                    own.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    ^ other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                position += 8
            }
            while position < own.count {
                unsafe difference |= UInt64(own[position] ^ other[position])
                position += 1
            }
            return difference == 0
        }
    }
}
