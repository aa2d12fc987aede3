import Encodings

/// Where random bytes come from, so that tests can repeat what they did.
public struct Randomness: Sendable {
    /// So many random bytes.
    public var bytes: @Sendable (Int) -> [UInt8]

    /// Bytes of a function.
    public init(bytes: @escaping @Sendable (Int) -> [UInt8]) { self.bytes = bytes }

    /// The system's secure source.
    public static let system = Randomness { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return Array(bytes.prefix(count))
    }
}

extension Randomness {
    /// A random UUID of version 4 (RFC 9562 §5.4).
    func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hexadecimal.uuid(of: bytes)
    }

    /// So many characters, each with the same chance.
    func text(_ count: Int, of alphabet: [UInt8]) -> String {
        let limit = 256 - 256 % alphabet.count
        var characters: [UInt8] = []
        while characters.count < count {
            for byte in bytes(count) where Int(byte) < limit && characters.count < count {
                characters.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Six decimal digits.
    func code() -> String { text(6, of: Self.digits) }

    static let digits = Array("0123456789".utf8)
    static let lowercase = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    static let uppercase = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    static let alphanumeric = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
