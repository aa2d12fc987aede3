/// One character in bytes from outside.
public enum UTF8Sequence {
    /// How many bytes the well-formed sequence at `position` has; nil when it is malformed or cut off.
    ///
    /// Unicode, table 3-7: the second byte's range depends on the first, which excludes overlong forms, surrogates
    /// and what is above U+10FFFF; further bytes are 80…BF.
    ///
    /// `position` must be below `bytes.count`; the bytes after it are read once `position + length` was compared with the count.
    @inlinable public static func length(at position: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch unsafe bytes[position] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard position + length <= bytes.count, unsafe second.contains(bytes[position + 1]) else { return nil }
        for next in position + 2..<max(position + length, position + 2) where unsafe bytes[next] & 0xC0 != 0x80 {
            return nil
        }
        return length
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are well-formed UTF-8. Eight bytes of ASCII are passed at a time.
    ///
    /// Memory safety: each read is preceded by a comparison of its end with `count`.
    public var isUTF8: Bool {
        var index = 0
        while index < count {
            if count - index >= 8,
                unsafe loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
            } else {
                guard let length = unsafe UTF8Sequence.length(at: index, in: self) else { return false }
                index += length
            }
        }
        return true
    }
}
