import Crypto
import Encodings

/// The user and the password that a forward proxy requires.
public struct ProxyCredentials: Sendable {
    /// SHA-256 of `user:password`, so that a comparison shows nothing of the lengths.
    private let digest: [UInt8]
    /// Characters of the password.
    let passwordCount: Int

    /// Nil where the user is empty or has a colon (RFC 7617 §2), where the password is empty, where either has a control
    /// character, and where both together are too long.
    public init?(user: String, password: String) {
        let text = Array("\(user):\(password)".utf8)
        guard !user.isEmpty, !user.contains(":"), !password.isEmpty, text.count <= ProxyLimits.credentialBytesMax,
            text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        digest = Self.digest(text)
        passwordCount = password.count
    }

    /// Whether these are the bytes of `user:password`, in a time that does not depend on where they differ.
    func accepts(_ credentials: [UInt8]?) -> Bool {
        ConstantTime.isEqual(Self.digest(credentials ?? []), digest) && credentials != nil
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
