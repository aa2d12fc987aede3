import JSON

/// The state of a sign-in between two calls: sealed into the `Session` that the client returns with its response.
struct ChallengeState: Sendable {
    /// The name of the pending challenge; `VERIFIED` after an authenticator app was set up.
    var challenge: String
    var poolID: String
    var clientID: String
    var usernameKey: String
    /// Identifies this state, which is single-use.
    var id: String
    /// Milliseconds since 1970.
    var expires: Int64
    /// The `sub` of the user; nil for an unknown user.
    var sub: String?
    var isAdministration = false
    var deviceKey: String?
    /// The hash of the code that was sent.
    var codeHash: String?
    /// Whether the challenge is a first factor: a second one may follow.
    var isFirstFactor = false
    /// The sealed secret of an authenticator app that is being set up.
    var totpSecret: String?
    /// The results of the challenges of CUSTOM_AUTH so far.
    var customResults: [JSONValue] = []
    /// `privateChallengeParameters` of the current challenge, which only the trigger functions see.
    var privateParameters: JSONObject = [:]
    var challengeMetadata: String?

    /// The name under which attempts with codes are counted. Passwords have another: a correct password must not reset them.
    var attemptsName: String { "\(poolID)#\(usernameKey)#code" }

    init(challenge: String, poolID: String, clientID: String, usernameKey: String, id: String, expires: Int64) {
        (self.challenge, self.poolID, self.clientID) = (challenge, poolID, clientID)
        (self.usernameKey, self.id, self.expires) = (usernameKey, id, expires)
    }

    init?(_ object: JSONObject) {
        let document = Document(object)
        guard let challenge = document.string("challenge"), let poolID = document.string("pool"),
            let clientID = document.string("client"), let usernameKey = document.string("user"),
            let id = document.string("id"), let expires = document.integer("expires")
        else { return nil }
        self.init(
            challenge: challenge, poolID: poolID, clientID: clientID, usernameKey: usernameKey, id: id, expires: expires
        )
        sub = document.string("sub")
        isAdministration = document.bool("admin")
        deviceKey = document.string("deviceKey")
        codeHash = document.string("codeHash")
        isFirstFactor = document.bool("first")
        totpSecret = document.string("totp")
        customResults = object["results"]?.arrayValue ?? []
        privateParameters = object["private"]?.objectValue ?? [:]
        challengeMetadata = document.string("metadata")
    }

    var json: JSONObject {
        var document = Document()
        document.set("challenge", challenge)
        document.set("pool", poolID)
        document.set("client", clientID)
        document.set("user", usernameKey)
        document.set("id", id)
        document.set("expires", expires)
        document.set("sub", sub)
        document.set("admin", isAdministration)
        document.set("deviceKey", deviceKey)
        document.set("codeHash", codeHash)
        document.set("first", isFirstFactor)
        document.set("totp", totpSecret)
        if !customResults.isEmpty { document.object["results"] = .array(customResults) }
        if !privateParameters.isEmpty { document.object["private"] = .object(privateParameters) }
        document.set("metadata", challengeMetadata)
        return document.object
    }
}
