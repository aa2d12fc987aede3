import Encodings
import JSON
import Tables

/// The state of an SRP exchange between its two steps: sealed into the SECRET_BLOCK.
struct SRPExchange: Sendable {
    enum Purpose: String, Sendable { case password, device }

    var purpose: Purpose
    var poolID: String
    var clientID: String
    var usernameKey: String
    /// Whether the user is unknown, so that verification must fail.
    var isFake: Bool
    /// Identifies the exchange, which is single-use.
    var id: String
    /// Milliseconds since 1970.
    var expires: Int64
    /// `UserPools.run` of the server that began it: another one does not know whether it was used.
    var run: String
    /// The `sub` of the user, and `User.credentialGeneration`: an exchange ends with the password and with a global sign-out.
    var sub: String?
    var generation: Int64 = 0
    /// The channel that the exchange belongs to.
    var channel: SignInChannel
    /// b, in 32 bytes.
    var secret: [UInt8] = []
    /// A modulo the prime, in 384 bytes. A itself is hashed: a client may send one that is not reduced.
    var clientPublicRemainder: [UInt8] = []
    /// How many times the prime is in A, in few bytes.
    var clientPublicQuotient: [UInt8] = []
    /// B, in 384 bytes.
    var serverPublic: [UInt8] = []
    var deviceKey: String?
    /// The results of CUSTOM_AUTH so far, if the exchange is part of that flow.
    var customResults: [JSONValue]?

    init(
        purpose: Purpose, poolID: String, clientID: String, usernameKey: String, isFake: Bool, id: String,
        expires: Int64, run: String, channel: SignInChannel
    ) {
        self.run = run
        self.channel = channel
        (self.purpose, self.poolID, self.clientID, self.usernameKey) = (purpose, poolID, clientID, usernameKey)
        (self.isFake, self.id, self.expires) = (isFake, id, expires)
    }

    /// The numbers by their names in the document.
    private static var numbers: [(name: String, member: WritableKeyPath<SRPExchange, [UInt8]>)] {
        [
            ("b", \.secret), ("A", \.clientPublicRemainder), ("quotient", \.clientPublicQuotient),
            ("B", \.serverPublic),
        ]
    }

    init?(_ object: JSONObject) {
        let document = RecordDocument(object)
        guard let purpose = document.string("purpose").flatMap(Purpose.init), let poolID = document.string("pool"),
            let clientID = document.string("client"), let usernameKey = document.string("user"),
            let id = document.string("id"), let expires = document.integer("expires"),
            let channel = document.string("channel").flatMap(SignInChannel.init)
        else { return nil }
        self.init(
            purpose: purpose, poolID: poolID, clientID: clientID, usernameKey: usernameKey,
            isFake: document.integer("fake") == 1, id: id, expires: expires,
            run: document.string("run") ?? "", channel: channel)
        sub = document.string("sub")
        generation = document.integer("generation") ?? 0
        for (name, member) in Self.numbers {
            guard let bytes = document.string(name).flatMap({ Base64.decode($0.utf8) }) else { return nil }
            self[keyPath: member] = bytes
        }
        deviceKey = document.string("deviceKey")
        customResults = object["results"]?.arrayValue
    }

    var json: JSONObject {
        var document = RecordDocument()
        document.set("purpose", purpose.rawValue)
        document.set("pool", poolID)
        document.set("client", clientID)
        document.set("user", usernameKey)
        // In both cases, so that the length of the sealed block does not tell them apart.
        document.set("fake", isFake ? 1 : 0)
        document.set("id", id)
        document.set("expires", expires)
        document.set("run", run)
        document.set("sub", sub)
        document.set("generation", generation)
        document.set("channel", channel.rawValue)
        for (name, member) in Self.numbers { document.set(name, Base64.encode(self[keyPath: member])) }
        document.set("deviceKey", deviceKey)
        if let customResults { document.object["results"] = .array(customResults) }
        return document.object
    }
}
