import API
import UserPools

/// A token whose signature, session and user were found good.
final class SeenToken: Sendable {
    /// The token as it came.
    let bytes: [UInt8]
    /// Whose it is.
    let token: TokenIdentity
    /// The same as rules look at it.
    let identity: Identity
    /// The mode that made the identity; that of another schema looks at other claims.
    let mode: UserPoolMode.ID

    init(_ bytes: [UInt8], _ token: TokenIdentity, _ identity: Identity, by mode: UserPoolMode.ID) {
        (self.bytes, self.token, self.identity, self.mode) = (bytes, token, identity, mode)
    }

    /// Whether these are the token's bytes, in a time that does not depend on where they differ.
    ///
    /// Memory safety: both have as many bytes as are compared, and words are loaded from within them.
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.withUnsafeBytes { own in
            guard own.count == other.count else { return false }
            var (difference, position): (UInt64, Int) = (0, 0)
            while position + 8 <= own.count {
                unsafe difference |=
                    own.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    ^ other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                position += 8
            }
            while position < own.count {
                unsafe difference |= UInt64(own[position] ^ other[position])
                position += 1
            }
            return difference == 0
        }
    }
}
