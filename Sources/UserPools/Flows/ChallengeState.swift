import JSON
import Tables

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
    /// `UserPools.run` of the server that issued it.
    var run: String?
    /// The `sub` by which attempts are counted: the user's, or a derived one for an unknown name.
    var sub: String?
    /// `User.credentialGeneration`: a session ends with the password and with a global sign-out.
    var generation: Int64 = 0
    /// The channel that the session was issued to.
    var channel: SignInChannel
    var deviceKey: String?
    /// The name that was given, of SELECT_CHALLENGE and PASSWORD: UserMigration is asked for it.
    var givenName: String?
    /// The hash of the code that was sent.
    var codeHash: String?
    /// The hash of the address that the code was sent to. The code does not verify an address that replaced it.
    var addressHash: String?
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
    var attemptsName: String {
        Self.attemptsName(
            of: User.countedName(sub: sub, User.reference(poolID: poolID, usernameKey: usernameKey)),
            isFirstFactor: isFirstFactor || challenge == "CUSTOM_CHALLENGE")
    }

    /// The name under which attempts with the codes of a user's first or second factor are counted: a right first factor
    /// must not reset the attempts with the second one.
    static func attemptsName(of counted: String, isFirstFactor: Bool) -> String {
        // A prefix and not a suffix: a user name may have any end.
        isFirstFactor ? "code:\(counted)" : "mfa:\(counted)"
    }

    /// Whether the state must not outlive a restart, which forgets that it was used: its proof, a sent code or an answer, could be
    /// replayed, or it needs none. The code of an authenticator app is stored as used, and a new password ends the state.
    var endsWithRun: Bool { codeHash != nil || challenge == "CUSTOM_CHALLENGE" || challenge == "VERIFIED" }

    init(
        challenge: String, poolID: String, clientID: String, usernameKey: String, id: String, expires: Int64,
        channel: SignInChannel
    ) {
        (self.challenge, self.poolID, self.clientID, self.channel) = (challenge, poolID, clientID, channel)
        (self.usernameKey, self.id, self.expires) = (usernameKey, id, expires)
    }

    init?(_ object: JSONObject) {
        let document = RecordDocument(object)
        guard let challenge = document.string("challenge"), let poolID = document.string("pool"),
            let clientID = document.string("client"), let usernameKey = document.string("user"),
            let id = document.string("id"), let expires = document.integer("expires"),
            let channel = document.string("channel").flatMap(SignInChannel.init)
        else { return nil }
        self.init(
            challenge: challenge, poolID: poolID, clientID: clientID, usernameKey: usernameKey, id: id,
            expires: expires, channel: channel)
        run = document.string("run")
        sub = document.string("sub")
        generation = document.integer("generation") ?? 0
        deviceKey = document.string("deviceKey")
        givenName = document.string("name")
        codeHash = document.string("codeHash")
        addressHash = document.string("addressHash")
        isFirstFactor = document.bool("first")
        totpSecret = document.string("totp")
        customResults = object["results"]?.arrayValue ?? []
        privateParameters = object["private"]?.objectValue ?? [:]
        challengeMetadata = document.string("metadata")
    }

    var json: JSONObject {
        var document = RecordDocument()
        document.set("challenge", challenge)
        document.set("pool", poolID)
        document.set("client", clientID)
        document.set("user", usernameKey)
        document.set("id", id)
        document.set("expires", expires)
        document.set("run", run)
        document.set("sub", sub)
        document.set("generation", generation)
        document.set("channel", channel.rawValue)
        document.set("deviceKey", deviceKey)
        document.set("name", givenName)
        document.set("codeHash", codeHash)
        document.set("addressHash", addressHash)
        document.set("first", isFirstFactor)
        document.set("totp", totpSecret)
        if !customResults.isEmpty { document.object["results"] = .array(customResults) }
        if !privateParameters.isEmpty { document.object["private"] = .object(privateParameters) }
        document.set("metadata", challengeMetadata)
        return document.object
    }
}
