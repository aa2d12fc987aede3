import Tables

/// A code that was sent to a user, kept as its hash.
struct Code: Record {
    /// What a code is for; a user has one code for each.
    enum Purpose: Sendable, Hashable {
        case signUp
        case password
        /// The attribute that is to be verified.
        case attribute(String)

        var text: String {
            switch self {
            case .signUp: "SignUp"
            case .password: "ForgotPassword"
            case .attribute(let name): "Attribute:\(name)"
            }
        }
    }

    /// `User.reference`.
    var user: String
    var purpose: String
    var hash: String
    /// Milliseconds since 1970.
    var expires: Int64
    /// The attribute that the address stands in; a right code verifies it.
    var attribute: String
    /// The address that received it: a code says nothing of another one that came after it.
    var address: String
    /// `User.credentialGeneration` when the code was sent, of a code for a new password or for an address that waits: a new
    /// password or a global sign-out ends it. Nil of other codes, and of those that earlier versions sent.
    var generation: Int64?
    /// Whether the address becomes the user's with the code, and is not the user's before.
    var isPending = false
    /// Attempts since it was sent.
    var attemptCount: Int64 = 0
    var revision: Int64 = 0

    /// Attempts with one code that are compared.
    static let attemptsMax: Int64 = 5
    /// Wrong codes of a user for one purpose in an hour, over all codes.
    static let wrongPerHourMax = 20

    static let table = Table(
        system: RecordTables.namePrefix + "Codes", ["user", "purpose", "document"], key: ("user", "purpose"))

    init(user: String, purpose: Purpose, hash: String, expires: Int64, attribute: String, address: String) {
        (self.user, self.purpose, self.hash) = (user, purpose.text, hash)
        (self.expires, self.attribute, self.address) = (expires, attribute, address)
    }

    /// Whether no new password and no global sign-out of the user has ended the code.
    func isOf(_ user: User) -> Bool { generation ?? user.credentialGeneration == user.credentialGeneration }

    init?(_ row: [Value], revision: Int64) {
        guard let user = row[0].text, let purpose = row[1].text, let document = RecordDocument(row[2].text),
            let hash = document.string("hash"), let attribute = document.string("attribute"),
            let address = document.string("address")
        else { return nil }
        (self.user, self.purpose, self.hash, self.attribute) = (user, purpose, hash, attribute)
        self.address = address
        expires = document.integer("expires") ?? 0
        attemptCount = document.integer("attemptCount") ?? 0
        generation = document.integer("generation")
        isPending = document.bool("isPending")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("hash", hash)
        document.set("attribute", attribute)
        document.set("address", address)
        document.set("expires", expires)
        document.set("attemptCount", attemptCount)
        document.set("generation", generation)
        document.set("isPending", isPending)
        return [.text(user), .text(purpose), .text(document.text)]
    }
}
