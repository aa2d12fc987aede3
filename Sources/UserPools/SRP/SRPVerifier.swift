import BigInt
import Crypto
import Encodings

/// What the server keeps of a password: a salt, and the verifier v = g^x (reference: auth, "Storing passwords").
struct SRPVerifier: Sendable, Hashable {
    /// Sixteen random bytes, the first not zero, so that the salt's digits begin with no zero byte.
    var salt: [UInt8]
    /// v, in 384 bytes.
    var verifier: [UInt8]

    /// Computes the verifier of a password. It takes milliseconds.
    /// - Parameter identity: The pool's name and the user name, or a device's group key and key, in one.
    init(salt: [UInt8], identity: String, password: String) {
        self.salt = salt
        let x = Self.privateKey(salt: salt, identity: identity, password: password)
        verifier = SRPGroup.bytes(SRPPower.ofGenerator(x))
    }

    init(salt: [UInt8], verifier: [UInt8]) { (self.salt, self.verifier) = (salt, verifier) }

    /// Whether it is the verifier of this password, compared in constant time.
    func isOf(identity: String, password: String) -> Bool {
        ConstantTime.isEqual(SRPVerifier(salt: salt, identity: identity, password: password).verifier, verifier)
    }

    private static func privateKey(salt: [UInt8], identity: String, password: String) -> BigUInt {
        let inner = SHA256.hash(data: Array("\(identity):\(password)".utf8))
        return SRPGroup.hash(SRPGroup.padded(SRPGroup.number(salt)) + Array(inner))
    }

    /// A new salt.
    static func makeSalt(_ randomness: Randomness) -> [UInt8] {
        while true {
            let salt = randomness.bytes(16)
            if salt[0] != 0 { return salt }
        }
    }
}
