import Codegen
import UserPools

extension ClientBackend.UserPool {
    /// A pool with its clients. An Amplify project names its two clients by what they are for; a client with a secret is none
    /// for web pages.
    init(_ pool: UserPool, _ clients: [UserPoolClient]) {
        func named(_ name: String) -> UserPoolClient? { clients.first { $0.name == name } }
        let native = named("native") ?? clients.first
        let web = named("web") ?? clients.first { $0.secret == nil } ?? native
        self.init(
            id: pool.id,
            nativeClient: native.map { ClientBackend.Client($0, of: pool) } ?? ClientBackend.Client(id: ""),
            webClient: web.map { ClientBackend.Client($0, of: pool) } ?? ClientBackend.Client(id: ""))
        usernameAttributes = pool.usernameAttributes
        autoVerifiedAttributes = pool.autoVerifiedAttributes
        requiredAttributes = pool.schema.filter(\.isRequired).map(\.name)
        mfaConfiguration = pool.mfaConfiguration.rawValue
        mfaTypes = pool.enabledMFAs.map { factor in
            switch factor {
            case .sms: "SMS"
            case .softwareToken: "TOTP"
            case .email: "EMAIL"
            }
        }
        passwordPolicy.minimumLength = Int(pool.passwordPolicy.minimumLength)
        passwordPolicy.requiresLowercase = pool.passwordPolicy.requireLowercase
        passwordPolicy.requiresUppercase = pool.passwordPolicy.requireUppercase
        passwordPolicy.requiresNumbers = pool.passwordPolicy.requireNumbers
        passwordPolicy.requiresSymbols = pool.passwordPolicy.requireSymbols
        // A prefix is below AWS's own host; here the pages are at the server's.
        domain = pool.domain.flatMap { $0.contains(".") ? $0 : nil }
        groups = pool.groups.map { ClientBackend.Group(name: $0.name, precedence: $0.precedence.map { Int($0) }) }
    }
}

extension ClientBackend.Client {
    /// A client of a user pool.
    init(_ client: UserPoolClient, of pool: UserPool) {
        self.init(id: client.id)
        secret = client.secret
        authenticationFlow = client.authenticationFlow
        guard client.allowedOAuthFlowsUserPoolClient else { return }
        callbackURLs = client.callbackURLs
        logoutURLs = client.logoutURLs
        scopes = client.allowedOAuthScopes
        socialProviders = client.providers(of: pool).compactMap { provider in
            switch provider.type {
            case .google: .google
            case .apple: .apple
            case .oidc: nil
            }
        }
    }
}
