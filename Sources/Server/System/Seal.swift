#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Crypto

/// Seals page tokens: AES-GCM with the data folder's own key (NIST SP 800-38D), as text that fits in a URL.
///
/// A token is base64url (RFC 4648 §5, without padding) of a fresh 96-bit nonce, the cipher text and its 128-bit tag.
/// The binding is authenticated but not in the token: opened with another binding, a token is as foreign as a forgery.
struct Seal: Sendable {
    private let key: SymmetricKey
    /// The longest token that is looked at, in characters: what we seal is never near it.
    private static let tokenBytesMax = 8 << 10

    /// A seal with a 256-bit key.
    init(key: [UInt8]) {
        precondition(key.count == 32, "The store's secret has 256 bits.")
        self.key = SymmetricKey(data: key)
    }

    /// The token of `plain`, bound to `binding`.
    func seal(_ plain: [UInt8], binding: [UInt8]) -> String {
        // AES-GCM refuses only plain text of 2³⁶ bytes and more; a page token is some dozens.
        guard let box = try? AES.GCM.seal(plain, using: key, authenticating: binding), let combined = box.combined
        else { preconditionFailure("AES-GCM seals every short text.") }
        return Base64URL.encode([UInt8](combined))
    }

    /// What was sealed; `nil` when the token is foreign, altered, or bound to something else.
    func open(_ token: String, binding: [UInt8]) -> [UInt8]? {
        guard token.utf8.count <= Self.tokenBytesMax, let bytes = Base64URL.decode(token),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(box, using: key, authenticating: binding)
        else { return nil }
        return [UInt8](plain)
    }
}

/// RFC 4648 §5, without padding.
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(digits[Int(bits >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(digits[Int(bits << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; `nil` when a character is no digit, or bits are left over that no encoder writes.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in text.utf8 {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        let leftover = bits & (1 << UInt32(bitCount) - 1)
        return bitCount < 6 && leftover == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
