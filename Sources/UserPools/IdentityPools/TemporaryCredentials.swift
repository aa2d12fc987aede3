import Crypto
import Encodings
import JSON

/// Credentials of an hour that an identity is given. Nothing of them is stored: the session token says all, sealed, and the
/// secret follows from the access key's id (reference: auth, "Identity pools").
public struct TemporaryCredentials: Sendable, Hashable {
    /// `ASIA` and sixteen upper-case letters and digits.
    public let accessKeyID: String
    /// Forty characters.
    public let secretKey: String
    /// What the server recognizes them by.
    public let sessionToken: String
    /// Whose they are.
    public let identity: TemporaryIdentity

    /// How long they are valid, in milliseconds.
    static let lifetime: Int64 = 3_600_000
    private static let context = "credentials"

    /// Makes credentials of an identity.
    init(_ identity: TemporaryIdentity, by sealer: Sealer, _ randomness: Randomness) {
        self.identity = identity
        accessKeyID = "ASIA" + randomness.text(16, of: Randomness.uppercase)
        secretKey = Self.secret(of: accessKeyID, by: sealer)
        var object = identity.json
        object["accessKeyID"] = .string(accessKeyID)
        sessionToken = sealer.seal(Array(JSONValue.object(object).description.utf8), context: Self.context)
    }

    /// Recognizes credentials by their session token; nil of others.
    init?(accessKeyID: String, sessionToken: String, by sealer: Sealer) {
        guard let bytes = sealer.open(sessionToken, context: Self.context),
            let object = (try? JSONReader.read(bytes))?.objectValue,
            object["accessKeyID"]?.stringValue == accessKeyID, let identity = TemporaryIdentity(object)
        else { return nil }
        (self.accessKeyID, self.sessionToken, self.identity) = (accessKeyID, sessionToken, identity)
        // The key that sealed the token is the one that made the secret.
        secretKey = Self.secret(of: accessKeyID, by: sealer.pinned(to: sessionToken))
    }

    private static func secret(of accessKeyID: String, by sealer: Sealer) -> String {
        String(Base64.encode(sealer.authenticationCode(of: "secret:\(accessKeyID)")).prefix(40))
    }
}
