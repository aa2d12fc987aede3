import Crypto
import Encodings

/// Codes of authenticator apps (RFC 6238): SHA-1, thirty seconds, six digits.
enum TOTP {
    /// Seconds of a step.
    static let stepSeconds: Int64 = 30

    /// The code of a step.
    static func code(secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let hash = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(hash[19] & 15)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The time step of a code: the current one, the previous one or the next one, but none up to `last`.
    static func step(of code: String, secret: [UInt8], now: Int64, after last: Int64) -> Int64? {
        let present = now / stepSeconds
        var found: Int64?
        for step in present - 1...present + 1 where ConstantTime.isEqual(self.code(secret: secret, step: step), code) {
            if step > last { found = step }
        }
        return found
    }

    /// Base32 (RFC 4648 §6) without padding, the format that authenticator apps read.
    static func base32(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(digits[Int(bits >> count & 31)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UserPools {
    /// Generates a secret for an authenticator app: sealed for storage, and in base32 for the app.
    func makeTOTPSecret(of user: User) -> (sealed: String, code: String) {
        let secret = randomness.bytes(32)
        return (sealer.seal(secret, context: user.totpContext), TOTP.base32(secret))
    }

    /// A secret that was sealed for the user.
    func totpSecret(_ sealed: String?, of user: User) -> [UInt8]? {
        sealed.flatMap { sealer.open($0, context: user.totpContext) }
    }
}
