import JSON
import Tables

/// A browser's session at the hosted pages: sealed into a cookie.
struct BrowserSession: Sendable {
    var poolID: String
    var usernameKey: String
    var sub: String
    /// `User.credentialGeneration`.
    var generation: Int64
    /// Milliseconds since 1970.
    var authenticated: Int64
    /// How the user signed in; nil in a session of an earlier version.
    var origin: Origin?
    /// Of all cookies since the sign-in. In a session of an earlier version, the hash of its cookie.
    var id: String

    /// A way to sign in.
    struct Origin: Sendable, Hashable {
        /// `COGNITO`, or the name of a provider.
        var name: String
        /// The hash of the provider's issuer and of the client's id there: another provider may take its name.
        var providerHash: String?

        /// That of sign-ins without a provider.
        static let own = Origin(name: "COGNITO")
    }

    /// Lifetime of the session, in milliseconds.
    static let lifetime: Int64 = 3_600_000
    static let cookieName = "cognito"
    private static let context = "browser-session"

    init(_ user: User, authenticated: Int64, origin: Origin?, id: String) {
        self.id = id
        (poolID, usernameKey, sub) = (user.poolID, user.usernameKey, user.sub)
        (generation, self.authenticated) = (user.credentialGeneration, authenticated)
        self.origin = origin
    }

    /// When the session ends, in milliseconds since 1970.
    var expires: Int64 { authenticated + Self.lifetime }

    init?(_ cookie: String?, _ sealer: Sealer, now: Int64) {
        guard let cookie, let bytes = sealer.open(cookie, context: Self.context),
            let object = (try? JSONReader.read(bytes))?.objectValue
        else { return nil }
        let document = RecordDocument(object)
        guard let poolID = document.string("pool"), let usernameKey = document.string("user"),
            let sub = document.string("sub"), let authenticated = document.integer("authenticated")
        else { return nil }
        id = document.string("id") ?? UserPools.hash(cookie)
        (self.poolID, self.usernameKey, self.sub) = (poolID, usernameKey, sub)
        (generation, self.authenticated) = (document.integer("generation") ?? 0, authenticated)
        origin = document.string("origin").map {
            Origin(name: $0, providerHash: document.string("provider"))
        }
        guard expires > now else { return nil }
    }

    /// Whether the client of a request accepts how the user signed in, and the request names no other way. A provider that
    /// was removed from the pool, or replaced by another one of its name, is accepted no longer.
    ///
    /// - Parameter identifiedProvider: The provider of `idp_identifier`.
    func isAccepted(
        by client: UserPoolClient, in pool: UserPool, naming name: String?, identifiedProvider: String?
    ) -> Bool {
        if let asked = name ?? identifiedProvider, origin?.name.isExactly(asked) != true { return false }
        guard let origin else { return client.identityProviders.isEmpty }
        return origin == .own ? client.allowsPasswords : client.providers(of: pool).contains { Origin($0) == origin }
    }

    func sealed(by sealer: Sealer) -> String {
        var document = RecordDocument()
        document.set("pool", poolID)
        document.set("user", usernameKey)
        document.set("sub", sub)
        document.set("generation", generation)
        document.set("authenticated", authenticated)
        document.set("origin", origin?.name)
        document.set("provider", origin?.providerHash)
        document.set("id", id)
        return sealer.seal(Array(document.text.utf8), context: Self.context)
    }
}

extension BrowserSession.Origin {
    /// Sign-in by a provider.
    init(_ provider: OIDCProvider) {
        name = provider.name
        providerHash = UserPools.hash(
            JSONValue.array([.string(provider.issuer), .string(provider.clientID)]).description)
    }
}
