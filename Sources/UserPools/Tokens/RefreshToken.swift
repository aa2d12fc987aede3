import Encodings

/// A refresh token: in base64url the session's id, 32 random bytes, the number of tokens that the session had before, in four
/// bytes, and a code that only this server can make of these.
///
/// The session keeps the hashes of its last tokens (`Session.replacedTokensMax`). Any older one is recognized by its code, so
/// that a stolen token is noticed however often its thief has replaced it (RFC 9700 §4.14.2). Earlier versions made tokens without number and code.
struct RefreshToken: Sendable {
    let text: String
    let sessionID: String
    /// How many tokens the session had before this one; nil of a token without a code.
    let rotationCount: UInt32?
    private let signed: ArraySlice<UInt8>
    private let code: ArraySlice<UInt8>

    private static let idCount = 16
    private static let secretCount = 32
    private static let codeCount = 16
    private static let plainCount = idCount + secretCount

    /// Makes a token.
    ///
    /// - Parameter secret: 32 random bytes.
    init(sessionID: String, rotationCount: UInt32, secret: [UInt8], by sealer: Sealer) {
        let id = Hexadecimal.bytes(of: String(sessionID.filter { $0 != "-" })) ?? []
        let count = (0..<4).map { UInt8(truncatingIfNeeded: rotationCount >> (24 - 8 * $0)) }
        let bytes = id + secret + count
        signed = bytes[...]
        code = Self.code(of: signed, by: sealer)
        (self.sessionID, self.rotationCount) = (sessionID, rotationCount)
        text = Base64.encodeURL(bytes + code)
    }

    /// Makes the token that replaces another one of its session. It is the same each time, so that a client that did not
    /// receive it can repeat the request. Without the server's key nobody can compute it.
    init(after token: RefreshToken, rotationCount: Int64, by sealer: Sealer) {
        self.init(
            sessionID: token.sessionID, rotationCount: UInt32(clamping: rotationCount),
            secret: sealer.authenticationCode(of: "next-refresh:\(token.text)"), by: sealer)
    }

    /// Reads a token; nil if it is malformed. Nothing is verified.
    init?(_ text: String) {
        guard let bytes = Base64.decodeURL(text),
            [Self.plainCount, Self.plainCount + 4 + Self.codeCount].contains(bytes.count)
        else { return nil }
        self.text = text
        sessionID = Hexadecimal.uuid(of: bytes.prefix(Self.idCount))
        signed = bytes.prefix(Self.plainCount + 4)
        code = bytes.dropFirst(Self.plainCount + 4)
        rotationCount =
            code.isEmpty ? nil : signed.dropFirst(Self.plainCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether the server made it for a session, which has had a further one since.
    func wasCurrent(in session: Session, by sealer: Sealer) -> Bool {
        guard let rotationCount, Int64(rotationCount) < session.rotationCount else { return false }
        return ConstantTime.isEqual(Array(code), Array(Self.code(of: signed, by: sealer)))
    }

    private static func code(of bytes: ArraySlice<UInt8>, by sealer: Sealer) -> ArraySlice<UInt8> {
        sealer.authenticationCode(of: "refresh:\(Base64.encodeURL(Array(bytes)))").prefix(codeCount)
    }
}
