import Encodings
import JSON
import Tables

/// What one sign-in began and a refresh token goes on with: the tokens that share an `origin_jti`.
struct Session: Record {
    /// The `origin_jti`.
    var id: String
    /// `User.reference`.
    var user: String
    var clientID: String
    /// When the session began, in milliseconds since 1970.
    var created: Int64
    /// When the user signed in, in milliseconds since 1970: before `created` if a browser's session began this one.
    var authenticated: Int64
    /// When its refresh token ends.
    var expires: Int64
    /// The user's generation at sign-in.
    var generation: Int64
    /// The scopes of its access tokens.
    var scopes: [String]
    /// Whether it began at the hosted pages.
    var isOAuth = false
    /// Whether its refresh token was revoked.
    var isRevoked = false
    var nonce: String?
    var deviceKey: String?
    /// The hash of the refresh token.
    var refreshHash: String
    /// The refresh tokens before it, the last one last: at most `replacedTokensMax`.
    private(set) var replacedTokens: [ReplacedToken] = []
    /// How often its refresh token was replaced.
    var rotationCount: Int64 = 0
    var revision: Int64 = 0

    /// Replaced refresh tokens that are kept. While all of them are within their grace period, the current one is not replaced.
    static let replacedTokensMax = 8

    static let table = Table(
        system: RecordTables.namePrefix + "Sessions", ["id", "user", "created", "pool", "expires", "document"],
        integers: ["created", "expires"],
        key: ("id", nil), indexes: [("byUser", "user", "created"), ("byExpiry", "pool", "expires")])

    init(
        id: String, user: String, clientID: String, created: Int64, expires: Int64, generation: Int64,
        scopes: [String], refreshHash: String
    ) {
        (self.id, self.user, self.clientID, self.created) = (id, user, clientID, created)
        authenticated = created
        (self.expires, self.generation, self.scopes, self.refreshHash) = (expires, generation, scopes, refreshHash)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[0].text, let user = row[1].text, let document = RecordDocument(row[5].text),
            let clientID = document.string("clientID"), let refreshHash = document.string("refreshHash")
        else { return nil }
        self.init(
            id: id, user: user, clientID: clientID, created: row[2].asInteger, expires: row[4].asInteger,
            generation: document.integer("generation") ?? 0, scopes: document.strings("scopes"),
            refreshHash: refreshHash)
        authenticated = document.integer("authenticated") ?? created
        isOAuth = document.bool("isOAuth")
        isRevoked = document.bool("isRevoked")
        nonce = document.string("nonce")
        deviceKey = document.string("deviceKey")
        replacedTokens = (document.object["replacedTokens"]?.arrayValue ?? []).compactMap(ReplacedToken.init)
        // Earlier versions kept the last one alone.
        if replacedTokens.isEmpty, let hash = document.string("previousHash") {
            replacedTokens = [ReplacedToken(hash: hash, until: document.integer("previousUntil") ?? 0)]
        }
        rotationCount = document.integer("rotationCount") ?? 0
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("clientID", clientID)
        document.set("refreshHash", refreshHash)
        document.set("generation", generation)
        document.set("scopes", scopes)
        if authenticated != created { document.set("authenticated", authenticated) }
        document.set("isOAuth", isOAuth)
        document.set("isRevoked", isRevoked)
        document.set("nonce", nonce)
        document.set("deviceKey", deviceKey)
        if !replacedTokens.isEmpty { document.object["replacedTokens"] = .array(replacedTokens.map(\.json)) }
        document.set("rotationCount", rotationCount)
        return [
            .text(id), .text(user), .integer(created), .text("all"), .integer(expires), .text(document.text),
        ]
    }
}

// MARK: - Rotation

extension Session {
    /// The replaced token of a hash, if it is among those that are kept.
    func replacedToken(_ hash: String) -> ReplacedToken? {
        replacedTokens.last { ConstantTime.isEqual(hash, $0.hash) }
    }

    /// Whether another token may replace the current one now, so that each one within its grace period stays known.
    func canRotate(now: Int64) -> Bool {
        replacedTokens.count < Self.replacedTokensMax || replacedTokens.contains { $0.until <= now }
    }

    /// Replaces the refresh token.
    ///
    /// - Parameters:
    ///   - hash: The hash of the new token.
    ///   - until: Until when the replaced one is still accepted.
    mutating func rotate(to hash: String, acceptingReplacedUntil until: Int64, now: Int64) {
        if replacedTokens.count >= Self.replacedTokensMax {
            // One within its grace period stays, also if a change of the client's settings has made it outlive older ones.
            let index = replacedTokens.firstIndex { $0.until <= now } ?? 0
            replacedTokens.remove(at: index)
        }
        replacedTokens.append(ReplacedToken(hash: refreshHash, until: until))
        refreshHash = hash
        rotationCount += 1
    }
}
