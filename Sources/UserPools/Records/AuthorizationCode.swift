import Tables

/// A code of the authorization code grant, kept as its hash (RFC 6749 §4.1.2). It is accepted once, within `lifetime`; it is
/// kept until then also when it was used, so that a second use is noticed.
struct AuthorizationCode: Record {
    var hash: String
    var clientID: String
    var redirectURI: String
    /// `User.reference`.
    var user: String
    /// The `origin_jti` of the session that the code begins: a second use revokes it.
    var sessionID: String
    var scopes: [String]
    var nonce: String?
    /// The PKCE challenge of method S256.
    var codeChallenge: String?
    /// Milliseconds since 1970.
    var authenticated: Int64
    var expires: Int64
    /// `User.credentialGeneration` when the code was issued: it ends with the user's sessions and with a new password.
    var generation: Int64 = 0
    var isUsed = false
    /// Whether it was used again, perhaps while the first exchange was under way.
    var isReplayed = false
    var revision: Int64 = 0

    /// How long a code is accepted, in milliseconds: five minutes, as Cognito's.
    static let lifetime: Int64 = 300_000

    static let table = Table(
        system: RecordTables.namePrefix + "AuthorizationCodes", ["hash", "pool", "expires", "document"],
        integers: ["expires"], key: ("hash", nil),
        indexes: [("byExpiry", "pool", "expires")])

    init(
        hash: String, clientID: String, redirectURI: String, user: String, sessionID: String, scopes: [String],
        authenticated: Int64, expires: Int64
    ) {
        (self.hash, self.clientID, self.redirectURI, self.user) = (hash, clientID, redirectURI, user)
        (self.sessionID, self.scopes, self.authenticated, self.expires) = (sessionID, scopes, authenticated, expires)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let hash = row[0].text, let document = RecordDocument(row[3].text),
            let clientID = document.string("clientID"), let redirectURI = document.string("redirectURI"),
            let user = document.string("user"), let sessionID = document.string("sessionID")
        else { return nil }
        self.init(
            hash: hash, clientID: clientID, redirectURI: redirectURI, user: user, sessionID: sessionID,
            scopes: document.strings("scopes"), authenticated: document.integer("authenticated") ?? 0,
            expires: row[2].asInteger)
        nonce = document.string("nonce")
        codeChallenge = document.string("codeChallenge")
        generation = document.integer("generation") ?? 0
        isUsed = document.bool("isUsed")
        isReplayed = document.bool("isReplayed")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("clientID", clientID)
        document.set("redirectURI", redirectURI)
        document.set("user", user)
        document.set("sessionID", sessionID)
        document.set("scopes", scopes)
        document.set("nonce", nonce)
        document.set("codeChallenge", codeChallenge)
        document.set("authenticated", authenticated)
        document.set("generation", generation)
        document.set("isUsed", isUsed)
        document.set("isReplayed", isReplayed)
        return [.text(hash), .text("all"), .integer(expires), .text(document.text)]
    }
}
