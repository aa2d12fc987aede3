import JSON
import Tables

/// A user of a pool.
struct User: Record {
    /// The pool.
    var poolID: String
    /// The user name as names are compared: in lower case unless the pool distinguishes case, and in Normalization Form C
    /// unless an earlier version made the user.
    var usernameKey: String
    /// The user name as it was given, or the `sub` in a pool where people sign in by an attribute. Never changed: passwords
    /// are hashed with it.
    var username: String
    var sub: String
    var status: Status
    var isEnabled = true
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    /// All attributes but `sub`, in the order in which they were first given.
    var attributes: [Attribute] = []
    /// The sealed verifier of the password; nil of a user without one.
    var password: String?
    /// When the password was set, in milliseconds since 1970; a temporary one ends some days later.
    var passwordSetAt: Int64 = 0
    /// Raised when all sessions are ended: older ones are revoked.
    ///
    /// Random at first, so that nothing that was issued to a deleted user is valid for the next user of the same name.
    var generation = Int64.random(in: 1 << 51..<1 << 52)
    /// How often the password was set.
    var passwordCount: Int64 = 0
    /// Raised with `generation` and with each new password: sessions of browsers, authorization codes and sign-ins that are
    /// under way end with either.
    var credentialGeneration: Int64 { generation &+ passwordCount }
    var mfa = MFAPreference()
    /// The provider and the subject of a user who came by one, as in the claim `identities`.
    var identities: [JSONValue] = []
    /// Random at first, so that no change of a deleted user is written over the next user of the same name.
    var revision = Int64.random(in: 1 << 51..<1 << 52)

    enum Status: String, Sendable {
        case unconfirmed = "UNCONFIRMED"
        case confirmed = "CONFIRMED"
        case archived = "ARCHIVED"
        case compromised = "COMPROMISED"
        case unknown = "UNKNOWN"
        case resetRequired = "RESET_REQUIRED"
        case forceChangePassword = "FORCE_CHANGE_PASSWORD"
        case externalProvider = "EXTERNAL_PROVIDER"
    }

    /// The user in the tables that keep what users have.
    var reference: String { Self.reference(poolID: poolID, usernameKey: usernameKey) }

    static func reference(poolID: String, usernameKey: String) -> String { "\(poolID)#\(usernameKey)" }

    /// The name under which the user's attempts and requests are counted.
    var countedName: String { Self.countedName(sub: sub, reference) }

    /// It has the `sub`, so that a new user does not begin with what was counted for the name before. The `sub` is a prefix and not
    /// a suffix, because a user name may have any end.
    static func countedName(sub: String?, _ reference: String) -> String { "\(sub ?? ""):\(reference)" }

    /// The associated data of the sealed secrets of authenticator apps, which binds them to this user.
    var totpContext: String { "totp:\(reference):\(sub)" }

    /// The key in a reference. By code points: a name may begin with a mark that combines with the `#`.
    static func usernameKey(inReference reference: String) -> String {
        String(reference.unicodeScalars.drop { $0 != "#" }.dropFirst())
    }

    init(poolID: String, usernameKey: String, username: String, sub: String, status: Status, created: Int64) {
        (self.poolID, self.usernameKey, self.username, self.sub) = (poolID, usernameKey, username, sub)
        (self.status, self.created, modified) = (status, created, created)
    }

    // MARK: Attributes

    subscript(attribute: String) -> String? {
        get { attribute == "sub" ? sub : attributes.first { $0.name == attribute }?.value }
        set {
            if let index = attributes.firstIndex(where: { $0.name == attribute }) {
                if let newValue { attributes[index].value = newValue } else { attributes.remove(at: index) }
            } else if let newValue {
                attributes.append(Attribute(name: attribute, value: newValue))
            }
        }
    }

    /// Bytes of the names and values of the attributes in JSON, as in an id token, without those that the pool writes.
    var attributeByteCount: Int {
        attributes.filter { !$0.name.hasSuffix("_verified") }.reduce(0) {
            $0 + $1.name.utf8.count + JSONValue.string($1.value).description.utf8.count
        }
    }

    /// Whether an address is verified.
    func isVerified(_ attribute: String) -> Bool { self["\(attribute)_verified"] == "true" }

    /// The attributes of the addresses that are verified.
    var verifiedAddresses: Set<String> { Set(["email", "phone_number"].filter(isVerified)) }

    /// All attributes, `sub` first, and `identities` of a user who comes by a provider.
    var allAttributes: [Attribute] {
        let own = [Attribute(name: "sub", value: sub)] + attributes
        return identities.isEmpty
            ? own : own + [Attribute(name: "identities", value: JSONValue.array(identities).description)]
    }

    // MARK: The row

    /// Attributes by which users are listed, each a column with an index.
    static let indexedAttributes = [
        "email", "phone_number", "preferred_username", "name", "given_name", "family_name",
    ]

    static let table = Table(
        system: RecordTables.namePrefix + "Users",
        ["poolID", "usernameKey", "sub", "enabled", "statusAndCreated", "document"] + indexedAttributes,
        key: ("poolID", "usernameKey"),
        indexes: [
            ("bySub", "poolID", "sub"), ("byEnabled", "poolID", "enabled"), ("byStatus", "poolID", "statusAndCreated"),
        ] + indexedAttributes.map { ("by_\($0)", "poolID", $0) })

    init?(_ row: [Value], revision: Int64) {
        guard let poolID = row[0].text, let usernameKey = row[1].text, let sub = row[2].text,
            let document = RecordDocument(row[5].text), let username = document.string("username"),
            let status = document.string("status").flatMap(Status.init), let created = document.integer("created")
        else { return nil }
        self.init(
            poolID: poolID, usernameKey: usernameKey, username: username, sub: sub, status: status, created: created)
        isEnabled = row[3].text == "Enabled"
        modified = document.integer("modified") ?? created
        attributes = (document.object["attributes"]?.objectValue ?? [:]).compactMap { name, value in
            value.stringValue.map { Attribute(name: name, value: $0) }
        }
        password = document.string("password")
        passwordSetAt = document.integer("passwordSetAt") ?? 0
        generation = document.integer("generation") ?? 0
        passwordCount = document.integer("passwordCount") ?? 0
        mfa = MFAPreference(document.object["mfa"]?.objectValue ?? [:])
        identities = document.object["identities"]?.arrayValue ?? []
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("username", username)
        document.set("status", status.rawValue)
        document.set("created", created)
        document.set("modified", modified)
        document.object["attributes"] = .object(JSONObject(attributes.map { ($0.name, .string($0.value)) }))
        document.set("password", password)
        document.set("passwordSetAt", passwordSetAt)
        document.set("generation", generation)
        document.set("passwordCount", passwordCount)
        document.object["mfa"] = .object(mfa.json)
        if !identities.isEmpty { document.object["identities"] = .array(identities) }
        return [
            .text(poolID), .text(usernameKey), .text(sub), .text(isEnabled ? "Enabled" : "Disabled"),
            .text("\(status.rawValue)#\(SortableNumber.text(created))"), .text(document.text),
        ] + Self.indexedAttributes.map { Value(self[$0]) }
    }
}
