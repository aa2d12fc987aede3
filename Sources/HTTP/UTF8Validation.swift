extension UnsafeRawBufferPointer {
    /// Whether the bytes are well-formed UTF-8. The Unicode Standard, table 3-7: no overlong forms, no surrogates,
    /// nothing above U+10FFFF. Eight bytes of ASCII are passed at a time.
    var isUTF8: Bool {
        var index = 0
        while index < count {
            if count - index >= 8,
                loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
            } else {
                guard let length = sequenceLength(at: index) else { return false }
                index += length
            }
        }
        return true
    }

    /// Bytes of the well-formed sequence that begins at `index`, or nil.
    private func sequenceLength(at index: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch self[index] {
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
        guard count - index >= length, second.contains(self[index + 1]) else { return nil }
        for place in index + 2..<index + length where self[place] & 0xC0 != 0x80 { return nil }
        return length
    }
}
