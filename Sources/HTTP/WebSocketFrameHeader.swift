/// What stands before a frame's payload. RFC 6455 §5.2.
///
/// ```text
/// |FIN RSV1 RSV2 RSV3 opcode|MASK payload length, 126 or 127|the length in 2 or 8 bytes|masking key, 4 bytes|
/// ```
struct WebSocketFrameHeader {
    /// RFC 6455 §5.2, §11.8.
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue & 0x8 != 0 }
    }

    /// Bytes of the longest header.
    static let byteCountMax = 14
    /// RFC 6455 §5.5: the payload of a control frame has at most so many bytes.
    static let controlPayloadBytesMax = 125

    var opcode: Opcode
    var isFinal = true
    var payloadCount: Int
    /// Its first octet in the lowest byte. A server's frames have none (RFC 6455 §5.1).
    var maskingKey: UInt32?

    /// Writes the header into `room`, which takes `byteCountMax` bytes, and returns how many it has.
    ///
    /// Memory safety: a header has at most `byteCountMax` bytes, which the caller provides: two, eight of length and four of key.
    func write(to room: UnsafeMutableRawBufferPointer) -> Int {
        unsafe room[0] = opcode.rawValue | (isFinal ? 0x80 : 0)
        var count = unsafe writeLength(to: room)
        guard let maskingKey else { return count }
        unsafe room[1] |= 0x80
        for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
            unsafe room[count] = UInt8(truncatingIfNeeded: maskingKey >> shift)
            count += 1
        }
        return count
    }

    /// "the minimal number of bytes MUST be used to encode the length" (RFC 6455 §5.2), in network byte order.
    private func writeLength(to room: UnsafeMutableRawBufferPointer) -> Int {
        guard payloadCount > 125 else {
            unsafe room[1] = UInt8(payloadCount)
            return 2
        }
        let byteCount = payloadCount > 0xFFFF ? 8 : 2
        unsafe room[1] = byteCount == 8 ? 127 : 126
        for place in 0..<byteCount {
            unsafe room[2 + place] = UInt8(truncatingIfNeeded: payloadCount >> (8 * (byteCount - 1 - place)))
        }
        return 2 + byteCount
    }

    /// RFC 6455 §5.3: octet i of the payload is XORed with octet i modulo 4 of the key, eight at a time.
    static func mask(_ payload: UnsafeMutableRawBufferPointer, with key: UInt32) {
        let word = UInt64(key) << 32 | UInt64(key)
        var place = 0
        while payload.count - place >= 8 {
            let octets = unsafe UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            unsafe payload.storeBytes(of: (octets ^ word).littleEndian, toByteOffset: place, as: UInt64.self)
            place += 8
        }
        // Eight is a multiple of four, so the rest begins at the key's first octet again.
        while place < payload.count {
            unsafe payload[place] ^= UInt8(truncatingIfNeeded: word >> UInt64(8 * (place & 7)))
            place += 1
        }
    }
}
