import BigInt
import Crypto

#if canImport(FoundationEssentials)
import Encodings
import FoundationEssentials
#else
import Foundation
#endif

/// The group, the generator and the multiplier of Cognito's SRP (reference: auth, "Parameters"): the prime of 3072 bits of
/// RFC 3526 group 15, generator 2, SHA-256.
enum SRPGroup {
    /// The prime.
    static let prime = BigUInt(
        """
        FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
        EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
        EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F\
        83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
        E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510\
        15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
        ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C\
        BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
        """, radix: 16)!
    /// The generator.
    static let generator = BigUInt(2)
    /// k = H(PAD(N) | PAD(g)).
    static let multiplier = hash(padded(prime) + padded(generator))
    /// Bytes of a number below the prime.
    static let byteCount = 384
    /// Digits of an `SRP_A` that are read at all: those of a number as long as the prime, and as many leading zeros as
    /// clients write.
    static let hexDigitsMax = 2 * byteCount + 2

    /// The shortest encoding in two's complement, the first byte the highest: a number whose top bit would be set has a zero
    /// in front.
    static func padded(_ number: BigUInt) -> [UInt8] {
        let bytes = [UInt8](number.serialize())
        guard let first = bytes.first else { return [0] }
        return first & 0x80 == 0 ? bytes : [0] + bytes
    }

    /// The hash as a number.
    static func hash(_ bytes: [UInt8]) -> BigUInt { number(Array(SHA256.hash(data: bytes))) }

    /// Big-endian bytes as a number.
    static func number(_ bytes: [UInt8]) -> BigUInt { BigUInt(Data(bytes)) }

    /// A number below the prime as bytes of one length.
    static func bytes(_ number: BigUInt) -> [UInt8] {
        let bytes = [UInt8](number.serialize())
        return Array(repeating: 0, count: max(0, byteCount - bytes.count)) + bytes
    }

    /// A client's public value, from its hexadecimal digits; nil if they are malformed or too many, or the value is a multiple of
    /// the prime.
    static func publicValue(_ hex: String) -> BigUInt? {
        guard (1...hexDigitsMax).contains(hex.utf8.count), hex.utf8.allSatisfy(isHexDigit),
            let bytes = Hexadecimal.bytes(of: hex.utf8.count.isMultiple(of: 2) ? hex : "0" + hex)
        else { return nil }
        let number = number(bytes)
        return number % prime == 0 ? nil : number
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
