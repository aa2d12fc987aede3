/// The name of one request in answers and logs: 128 bits, written as a version 4 UUID (RFC 9562 §5.4).
///
/// It identifies a request; it protects nothing, so `EventLoop.makeRequestID` draws it from a fast generator.
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
        unsafe String(unsafeUninitializedCapacity: RequestID.byteCount) { bytes in
            unsafe write(to: UnsafeMutableRawBufferPointer(bytes))
            return RequestID.byteCount
        }
    }

    /// Writes the written form into the first `byteCount` bytes: groups of 8, 4, 4, 4 and 12 digits. It is on every
    /// answer; eight digits at a time take a tenth of what one at a time took, 850 instructions.
    ///
    /// Memory safety: the precondition holds in release builds too; the last store ends at byte 36.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= RequestID.byteCount, "there is room for the written form")
        let second = RequestID.digits(high)
        let third = RequestID.digits(low >> 32)
        unsafe bytes.storeBytes(of: RequestID.digits(high >> 32).bigEndian, toByteOffset: 0, as: UInt64.self)
        unsafe bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: second >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: 14, as: UInt32.self)
        unsafe bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: third >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: 24, as: UInt32.self)
        unsafe bytes.storeBytes(of: RequestID.digits(low).bigEndian, toByteOffset: 28, as: UInt64.self)
        unsafe bytes[8] = UInt8(ascii: "-")
        unsafe bytes[13] = UInt8(ascii: "-")
        unsafe bytes[18] = UInt8(ascii: "-")
        unsafe bytes[23] = UInt8(ascii: "-")
    }

    /// The low 32 bits as eight hexadecimal digits, the first in the highest byte: 0x1B4E_28BA gives "1b4e28ba".
    private static func digits(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Halves move apart until each byte holds one digit's value.
        var values = word & 0xFFFF_FFFF
        values = (values | values << 16) & 0x0000_FFFF_0000_FFFF
        values = (values | values << 8) & 0x00FF_00FF_00FF_00FF
        values = (values | values << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding 6 carries a value over 9 into the byte's upper half.
        let letters = (values &+ ones &* 6) >> 4 & ones
        return values &+ ones &* 0x30 &+ letters &* 0x27
    }
}
