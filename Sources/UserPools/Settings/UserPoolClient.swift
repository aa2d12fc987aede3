import JSON

/// The settings of a pool's client, in the words of `UserPoolClientType`.
public struct UserPoolClient: Sendable, Hashable {
    /// Twenty-six lower-case letters and digits, unless it was configured otherwise.
    public let id: String
    /// The pool's id.
    public let poolID: String
    package var name: String
    package var secret: String?
    package var flows: Set<Flow>
    /// What `ExplicitAuthFlows` said, to be repeated.
    var explicitAuthFlows: [String]?
    package var callbackURLs: [String] = []
    package var logoutURLs: [String] = []
    var defaultRedirectURI: String?
    var allowedOAuthFlows: [String] = []
    package var allowedOAuthScopes: [String] = []
    package var allowedOAuthFlowsUserPoolClient = false
    var identityProviders: [String] = []
    /// Seconds.
    var accessTokenSeconds: Int64 = 3_600
    var idTokenSeconds: Int64 = 3_600
    var refreshTokenSeconds: Int64 = 30 * 86_400
    var authSessionMinutes: Int64 = 3
    var preventsUserExistenceErrors = false
    var isTokenRevocationEnabled = true
    /// Attributes that the client reads in id tokens and may write; nil for all.
    var readAttributes: [String]?
    var writeAttributes: [String]?
    /// Seconds for which a replaced refresh token is still accepted; nil where tokens are not rotated.
    var rotationGraceSeconds: Int64?
    /// The units and times as they were given, to be repeated.
    var others: JSONObject = [:]
    var created: Int64 = 0
    var modified: Int64 = 0

    /// A way to sign in.
    package enum Flow: String, Sendable, CaseIterable {
        case srp = "ALLOW_USER_SRP_AUTH"
        case password = "ALLOW_USER_PASSWORD_AUTH"
        case custom = "ALLOW_CUSTOM_AUTH"
        case admin = "ALLOW_ADMIN_USER_PASSWORD_AUTH"
        case refresh = "ALLOW_REFRESH_TOKEN_AUTH"
        case user = "ALLOW_USER_AUTH"
    }

    init(id: String, poolID: String, name: String) {
        (self.id, self.poolID, self.name) = (id, poolID, name)
        flows = [.srp, .custom, .refresh]
    }

    /// The scope by which an access token may be used with the operations of its user.
    static let adminScope = "aws.cognito.signin.user.admin"

    /// The flow that an app of this client begins sign-ins with, of those that the client allows: SRP before the others, since
    /// with it no password is sent. SRP, too, where the client allows none.
    package var authenticationFlow: String {
        let flows: [(Flow, String)] = [
            (.srp, "USER_SRP_AUTH"), (.password, "USER_PASSWORD_AUTH"), (.custom, "CUSTOM_AUTH"), (.user, "USER_AUTH"),
        ]
        return flows.first { self.flows.contains($0.0) }?.1 ?? "USER_SRP_AUTH"
    }

    /// Whether people sign in with a password of the pool, and not by providers only.
    var allowsPasswords: Bool { identityProviders.isEmpty || identityProviders.contains("COGNITO") }

    /// The providers that people may sign in by: all of the pool where the client names none.
    package func providers(of pool: UserPool) -> [OIDCProvider] {
        identityProviders.isEmpty
            ? pool.identityProviders : pool.identityProviders.filter { identityProviders.contains($0.name) }
    }
}
