import BigInt
import Crypto

/// The server's side of one SRP exchange: a fresh `b` and what follows from it (reference: auth, "Parameters").
struct SRPServer: Sendable {
    /// A.
    let clientPublic: BigUInt
    /// B = kv + g^b.
    let serverPublic: BigUInt
    /// b, in 32 bytes.
    let secret: [UInt8]
    private let verifier: BigUInt

    /// Begins an exchange with a fresh `b`; another `b` is drawn if `u` or B would be zero.
    init(clientPublic: BigUInt, verifier: SRPVerifier, randomness: Randomness) {
        var server: SRPServer
        repeat {
            server = SRPServer(clientPublic: clientPublic, verifier: verifier, secret: randomness.bytes(32))
        } while server.scrambler == 0 || server.serverPublic == 0
        self = server
    }

    /// An exchange with this `b`.
    init(clientPublic: BigUInt, verifier: SRPVerifier, secret: [UInt8]) {
        let power = SRPPower.ofGenerator(SRPGroup.number(secret))
        let serverPublic =
            (SRPGroup.multiplier * SRPGroup.number(verifier.verifier) + power) % SRPGroup.prime
        self.init(clientPublic: clientPublic, serverPublic: serverPublic, verifier: verifier, secret: secret)
    }

    /// Resumes an exchange that began with an earlier request.
    init(clientPublic: BigUInt, serverPublic: BigUInt, verifier: SRPVerifier, secret: [UInt8]) {
        (self.clientPublic, self.serverPublic, self.secret) = (clientPublic, serverPublic, secret)
        self.verifier = SRPGroup.number(verifier.verifier)
    }

    /// u = H(PAD(A) | PAD(B)).
    var scrambler: BigUInt {
        SRPGroup.hash(SRPGroup.padded(clientPublic) + SRPGroup.padded(serverPublic))
    }

    /// K: sixteen bytes by HKDF.
    func sessionKey() -> [UInt8] {
        let u = scrambler
        let base = clientPublic * SRPPower.power(verifier, u) % SRPGroup.prime
        let shared = SRPPower.power(base, SRPGroup.number(secret))
        let pseudorandom = HMAC<SHA256>.authenticationCode(
            for: SRPGroup.padded(shared), using: SymmetricKey(data: SRPGroup.padded(u)))
        let key = HMAC<SHA256>.authenticationCode(
            for: Array("Caldera Derived Key".utf8) + [1], using: SymmetricKey(data: pseudorandom))
        return Array(key.prefix(16))
    }

    /// The signature by which a client proves that it has the same key.
    /// - Parameters:
    ///   - group: The pool's name, or a device's group key.
    ///   - user: `USER_ID_FOR_SRP`, or a device's key.
    func signature(group: String, user: String, secretBlock: [UInt8], timestamp: String) -> [UInt8] {
        let message = Array(group.utf8) + Array(user.utf8) + secretBlock + Array(timestamp.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: sessionKey())))
    }
}
