#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Crypto
import Encodings

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
        return Base64.encodeURL([UInt8](combined))
    }

    /// What was sealed; `nil` when the token is foreign, altered, or bound to something else.
    func open(_ token: String, binding: [UInt8]) -> [UInt8]? {
        guard token.utf8.count <= Self.tokenBytesMax, let bytes = Base64.decodeURL(token),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(box, using: key, authenticating: binding)
        else { return nil }
        return [UInt8](plain)
    }
}
