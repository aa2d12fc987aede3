import JSON
import Tables

/// The state of a federated sign-in: sealed into a cookie of the browser. The provider receives only its id, as `state`.
struct FederationState: Sendable {
    var id: String
    var provider: String
    var nonce: String
    /// RFC 7636 §4.1.
    var codeVerifier: String
    /// Milliseconds since 1970.
    var expires: Int64
    /// The parameters of the authorization request that the app has sent.
    var parameters: [String: String]

    /// Time limit for the sign-in at the provider, in milliseconds.
    static let lifetime: Int64 = 600_000
    static let cookieName = "federation"
    /// The longest sealed state: browsers keep cookies of 4,096 bytes with their names and attributes.
    static let bytesMax = 3_800
    private static let context = "federation"
    /// The parameters that are needed again.
    private static let kept: Set = [
        "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    ]

    init(_ provider: OIDCProvider, _ parameters: [String: String], _ randomness: Randomness, now: Int64) {
        id = randomness.uuid()
        self.provider = provider.name
        nonce = randomness.uuid()
        codeVerifier = randomness.text(64, of: Randomness.alphanumeric)
        expires = now + Self.lifetime
        self.parameters = parameters.filter { Self.kept.contains($0.key) }
    }

    /// Opens a cookie; nil of one that is no state, or too old.
    init?(_ cookie: String?, _ sealer: Sealer, now: Int64) {
        guard let cookie, let bytes = sealer.open(cookie, context: Self.context),
            let object = (try? JSONReader.read(bytes))?.objectValue
        else { return nil }
        let document = RecordDocument(object)
        guard let id = document.string("id"), let provider = document.string("provider"),
            let nonce = document.string("nonce"), let codeVerifier = document.string("verifier"),
            let expires = document.integer("expires"), expires > now
        else { return nil }
        (self.id, self.provider, self.nonce, self.codeVerifier) = (id, provider, nonce, codeVerifier)
        self.expires = expires
        parameters = (object["parameters"]?.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
    }

    func sealed(by sealer: Sealer) -> String {
        var document = RecordDocument()
        document.set("id", id)
        document.set("provider", provider)
        document.set("nonce", nonce)
        document.set("verifier", codeVerifier)
        document.set("expires", expires)
        document.object["parameters"] = UserPools.json(parameters)
        return sealer.seal(Array(document.text.utf8), context: Self.context)
    }
}
