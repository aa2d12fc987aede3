/// The name of one request in answers and logs: 128 bits, written as a version 4 UUID (RFC 9562 §5.4).
///
/// It tells requests apart; it protects nothing, so `EventLoop.makeRequestID` draws it from a fast generator.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// An identifier from 128 random bits, of which version and variant take six.
    public init(randomBits high: UInt64, _ low: UInt64) {
        self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Bytes of the written form.
    static let byteCount = 36

    /// The written form, such as `1b4e28ba-2fa1-41d2-883f-0016d3cca427`.
    public var description: String {
        String(unsafeUninitializedCapacity: RequestID.byteCount) { bytes in
            write(to: UnsafeMutableRawBufferPointer(bytes))
            return RequestID.byteCount
        }
    }

    /// Writes the written form into the first `byteCount` bytes.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        var place = 0
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                bytes[place] = UInt8(ascii: "-")
                place += 1
            }
            let word = nibble < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - (nibble & 15) * 4)) & 0xF
            bytes[place] = digit < 10 ? digit + 0x30 : digit + 0x57
            place += 1
        }
    }
}

/// Random words by adding a constant and mixing (SplitMix64): one word of state, nanoseconds a word, no secrecy.
struct FastRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
