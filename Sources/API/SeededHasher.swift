/// A fast hash of bytes, with a seed of its own that keeps callers from choosing collisions.
struct SeededHasher {
    private let seed = UInt64.random(in: .min ... .max)

    /// Eight bytes a step, multiplied and folded.
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var offset = 0
        // Every read ends at or before `bytes.count`.
        while offset + 8 <= bytes.count {
            unsafe mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), into: &state)
            offset += 8
        }
        var rest: UInt64 = 0
        for index in offset..<bytes.count { rest = unsafe rest << 8 | UInt64(bytes[index]) }
        mix(rest, into: &state)
        return state
    }

    private func mix(_ word: UInt64, into state: inout UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        state = product.high ^ product.low
    }
}
