public import JSON
public import Transformer

/// What clients are configured with: the services of a server as its clients reach and name them.
public struct ClientBackend: Sendable, Hashable {
    /// The region that clients sign for.
    public var region = "us-east-1"
    /// The region of the buckets; nil for the same.
    public var bucketRegion: String?
    /// What the addresses of the server begin with: scheme, host and port.
    public var address: ClientAddress
    /// The GraphQL API; nil where none is served.
    public var api: API?
    /// The user pool; nil where there is none.
    public var userPool: UserPool?
    /// The identity pool; nil where there is none.
    public var identityPool: IdentityPool?
    /// The names of the buckets, the default one first.
    public var buckets: [String] = []
    /// The id of the app whose events are taken; nil where none are.
    public var analyticsApp: String?

    /// A backend that has none of the services.
    public init(address: ClientAddress) { self.address = address }

    /// A GraphQL API.
    public struct API: Sendable, Hashable {
        /// The name, which is a key in the files of amplify-swift.
        public var name = "syncline"
        /// The mode of authorization of requests that name none.
        public var defaultMode: TransformOptions.AuthMode
        /// The other modes.
        public var otherModes: [TransformOptions.AuthMode]
        /// The API key; nil where API keys are no mode, or only their hashes are known.
        public var key: String?
        /// The models, as `data.model_introspection` has them; nil where they are not known.
        public var modelIntrospection: JSONValue?

        /// An API with its modes.
        public init(defaultMode: TransformOptions.AuthMode = .apiKey, otherModes: [TransformOptions.AuthMode] = []) {
            (self.defaultMode, self.otherModes) = (defaultMode, otherModes)
        }

        /// The modes, the default one first.
        var modes: [TransformOptions.AuthMode] { [defaultMode] + otherModes }

        /// The key as a member of the files; nil where API keys are no mode.
        var keyMember: JSONValue? { modes.contains(.apiKey) ? key.map(JSONValue.string) : nil }
    }

    /// A user pool, in Cognito's words.
    public struct UserPool: Sendable, Hashable {
        /// `<region>_<name>`.
        public var id: String
        /// The client of programs on devices, which may have a secret.
        public var nativeClient: Client
        /// The client of web pages, which has none.
        public var webClient: Client
        /// `email`, `phone_number`: what people sign in with instead of a user name.
        public var usernameAttributes: [String] = []
        /// Attributes that a sign-up must have.
        public var requiredAttributes: [String] = []
        /// Attributes that are verified by a code.
        public var autoVerifiedAttributes: [String] = []
        /// `OFF`, `OPTIONAL` or `ON`.
        public var mfaConfiguration = "OFF"
        /// `SMS`, `TOTP`, `EMAIL`.
        public var mfaTypes: [String] = []
        /// What a password must have.
        public var passwordPolicy = PasswordPolicy()
        /// The host of the hosted pages, where they have one of their own.
        public var domain: String?
        /// The groups, each with its precedence.
        public var groups: [Group] = []

        /// A pool with its clients.
        public init(id: String, nativeClient: Client, webClient: Client) {
            (self.id, self.nativeClient, self.webClient) = (id, nativeClient, webClient)
        }

        /// The id's part before the first `_`.
        var region: String { String(id.prefix { $0 != "_" }) }
    }

    /// A client of a user pool.
    public struct Client: Sendable, Hashable {
        /// The client's id.
        public var id: String
        /// The secret; nil for a client without one.
        public var secret: String?
        /// Amplify's word for how people sign in.
        public var authenticationFlow = "USER_SRP_AUTH"
        /// Where the hosted pages may return to after signing in; empty where the client does not use them.
        public var callbackURLs: [String] = []
        /// Where they may return to after signing out.
        public var logoutURLs: [String] = []
        /// The scopes of OAuth 2.0.
        public var scopes: [String] = []
        /// Whom people may sign in by at the hosted pages, of those that clients know by name.
        public var socialProviders: [SocialProvider] = []

        /// A client by its id.
        public init(id: String) { self.id = id }
    }

    /// A provider that clients know by name.
    public enum SocialProvider: Sendable, Hashable {
        /// Google.
        case google
        /// Sign in with Apple.
        case apple

        /// The word of the Gen 1 files.
        var word: String {
            switch self {
            case .google: "GOOGLE"
            case .apple: "APPLE"
            }
        }

        /// The word of `amplify_outputs.json`.
        var outputsWord: String {
            switch self {
            case .google: "GOOGLE"
            case .apple: "SIGN_IN_WITH_APPLE"
            }
        }
    }

    /// What a password must have.
    public struct PasswordPolicy: Sendable, Hashable {
        /// Characters.
        public var minimumLength = 8
        /// Whether it must have a lower-case letter.
        public var requiresLowercase = false
        /// Whether it must have an upper-case letter.
        public var requiresUppercase = false
        /// Whether it must have a digit.
        public var requiresNumbers = false
        /// Whether it must have another character.
        public var requiresSymbols = false

        /// The default of Amplify.
        public init() {}
    }

    /// A group of a user pool.
    public struct Group: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The precedence; nil where none is set.
        public var precedence: Int?

        /// A group.
        public init(name: String, precedence: Int?) { (self.name, self.precedence) = (name, precedence) }
    }

    /// An identity pool.
    public struct IdentityPool: Sendable, Hashable {
        /// `<region>:<uuid>`.
        public var id: String
        /// Whether guests get credentials.
        public var allowsUnauthenticatedIdentities: Bool

        /// An identity pool.
        public init(id: String, allowsUnauthenticatedIdentities: Bool) {
            (self.id, self.allowsUnauthenticatedIdentities) = (id, allowsUnauthenticatedIdentities)
        }

        /// The id's part before the first `:`.
        var region: String { String(id.prefix { $0 != ":" }) }
    }
}
