import Crypto
import Encodings

/// The key that a secret yields for one scope. It signs nothing outside of that scope, and may be cached until its day
/// ends; deriving it takes four HMACs.
///
/// AWS, "Create a signed AWS API request", "Calculate the signature".
public struct SigningKey: Sendable {
    /// The scope for which the key is good.
    public let scope: CredentialScope
    private let key: SymmetricKey

    /// Derives the key of a secret access key.
    public init(secret: String, scope: CredentialScope) {
        self.scope = scope
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for part in [scope.day, scope.region, scope.service, CredentialScope.termination] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// The signature of a string to sign, in lower-case hexadecimal.
    public func signature(of stringToSign: String) -> String {
        Hexadecimal.text(of: HMAC<SHA256>.authenticationCode(for: Array(stringToSign.utf8), using: key))
    }

    /// Whether a signature of 64 hexadecimal digits is that of a string to sign. Compared in constant time.
    public func isValid(_ signature: String, of stringToSign: String) -> Bool {
        guard let bytes = Hexadecimal.bytes(of: signature) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: Array(stringToSign.utf8), using: key)
    }
}
