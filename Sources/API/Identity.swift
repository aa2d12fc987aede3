public import JSON
import Synchronization
import Tables
public import Transformer

/// Who is asking, as far as rules and sharing compare it.
///
/// Made by the layer that reads credentials, once for each request. Equal identities may share cached work; what differs
/// between two tokens of one user, such as their times, is in `IdentityToken`. The parts are held by one reference, of
/// which an API key has none, so that an identity costs a request a word.
public struct Identity: Sendable, Hashable {
    /// The mode with which a caller has authenticated.
    public typealias Mode = TransformOptions.AuthMode

    /// The role of an identity pool whose credentials signed a request.
    public enum PoolRole: Sendable, Hashable {
        /// A signed-in identity of the pool.
        case authenticated
        /// A guest.
        case unauthenticated
    }

    /// The mode by which the caller was authorized.
    public let mode: Mode
    private let caller: Caller?

    private init(_ mode: Mode, _ caller: Caller? = nil) {
        self.mode = mode
        self.caller = caller
    }

    /// Bytes of memory that keeping the identity takes, roughly; none for a caller with an API key.
    public var keptByteCount: Int { caller?.keptByteCount ?? 0 }

    /// A caller who showed one of the API's keys.
    public static let apiKey = Identity(.apiKey)

    /// An operator of this server. Rules are not evaluated for it, every field is open to it, and it never fills in an owner. No
    /// credentials of the API yield it.
    public static let administrator = Identity(
        .apiKey, Caller(subject: nil, username: nil, groups: [], claims: [:], isAdministrator: true))

    /// A caller that a Lambda authorizer has accepted, and denied nothing.
    public static let lambda = Identity(.lambda)

    /// A caller that a Lambda authorizer has accepted.
    /// - Parameters:
    ///   - deniedFields: The fields that it denies, as `Type.field`.
    ///   - context: What it says of the caller, for resolvers (`resolverContext`).
    public static func lambda(deniedFields: [String], context: JSONObject) -> Identity {
        if deniedFields.isEmpty, context.isEmpty { return lambda }
        let fields = deniedFields.compactMap { name -> FieldCoordinate? in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 2 ? FieldCoordinate(type: String(parts[0]), field: String(parts[1])) : nil
        }
        return Identity(
            .lambda,
            Caller(subject: nil, username: nil, groups: [], claims: context, deniedFields: Set(fields)))
    }

    /// A user with a token of the user pool.
    /// - Parameter claims: The names of the claims that rules look at (`APIDefinition.ruleClaims`). The others are for functions
    ///   alone.
    public static func userPools(_ token: IdentityToken, claims: Set<ExactText>) -> Identity {
        let username = token.claims["cognito:username"] ?? token.claims["username"]
        return Identity(.userPools, Caller(token, username: username?.stringValue, claims: claims))
    }

    /// A user with a token of another provider.
    /// - Parameter claims: The names of the claims that rules look at (`APIDefinition.ruleClaims`). The others are for functions
    ///   alone.
    public static func oidc(_ token: IdentityToken, claims: Set<ExactText>) -> Identity {
        Identity(.oidc, Caller(token, username: token.claims["username"]?.stringValue, claims: claims))
    }

    /// The caller of a signed request.
    /// - Parameters:
    ///   - user: The ARN that the credentials belong to.
    ///   - poolRole: The role of the API's identity pool; nil of every other caller.
    ///   - isAdmin: Whether the role is one of those that have access to all models with rules.
    ///   - resources: The root fields that the role may call, as patterns such as `Query.*`; empty for all. Not asked of
    ///     identities of the pool, whose rules say it.
    ///   - context: What functions receive of the caller beside the ARN, by AppSync's names: `accountId`, `username`, and of
    ///     an identity of an identity pool `cognitoIdentityPoolId`, `cognitoIdentityId`, `cognitoIdentityAuthType` and
    ///     `cognitoIdentityAuthProvider`.
    public static func iam(
        user: String, poolRole: PoolRole?, isAdmin: Bool = false, resources: [String] = [],
        context: JSONObject = JSONObject()
    ) -> Identity {
        Identity(
            .iam,
            Caller(
                subject: user, username: nil, groups: [], claims: context, poolRole: poolRole, isAdmin: isAdmin,
                resources: resources))
    }

    /// A number that no other caller of this process has, the same in all copies of this identity; equal identities that were
    /// made apart have different ones. 0 where nothing is known of the caller but the mode.
    var number: Int { caller?.number ?? 0 }

    /// The user: the claim `sub` of a token, the ARN of a signed request; nil where there is none.
    public var subject: String? { caller?.subject }

    /// The user's name; nil where there is none.
    public var username: String? { caller?.username }

    /// The user's groups in the user pool.
    public var groups: [String] { caller?.groups ?? [] }

    /// The role of the identity pool whose credentials signed the request; nil of every other caller.
    public var poolRole: PoolRole? { caller?.poolRole }

    /// Whether the caller signed the request and is not an identity of the identity pool: `enableIamAccess` gives such callers
    /// access to everything.
    var isSignerOutsidePool: Bool { mode == .iam && poolRole == nil }

    /// Whether the role that signed the request has access to all models with rules.
    var isAdmin: Bool { caller?.isAdmin ?? false }

    /// Whether the caller is an operator of this server.
    public var isAdministrator: Bool { caller?.isAdministrator ?? false }

    /// The root fields that the role of an access key may call, as patterns; empty for all.
    var resources: [String] { caller?.resources ?? [] }

    /// The fields that a Lambda authorizer denies.
    var deniedFields: Set<FieldCoordinate> { caller?.deniedFields ?? [] }

    /// The claims that rules look at, but for those that are the user's subject, name and groups; of a signed request and of a
    /// Lambda authorizer their context.
    var claims: JSONObject { caller?.claims ?? JSONObject() }

    /// All claims of the caller's token; nil where there is none. They are parsed at each call, and not compared: of two tokens
    /// of one user each has its own.
    public var tokenClaims: JSONObject? { caller?.tokenClaims?.object }

    /// The identity pool of a signed request; nil of other callers.
    public var identityPoolID: String? { mode == .iam ? claims["cognitoIdentityPoolId"]?.stringValue : nil }

    /// The id of the configured access key that signed a request; nil of other callers.
    public var accessKeyID: String? {
        mode == .iam && identityPoolID == nil ? claims["username"]?.stringValue : nil
    }

    /// A claim that rules look at, by its name. `username` is the user's name, whichever claim has it.
    public func claim(_ name: String) -> JSONValue? {
        switch name {
        case "sub": caller?.subject.map(JSONValue.string)
        case "username": caller?.username.map(JSONValue.string)
        case "cognito:groups": caller.map { .array($0.groups.map(JSONValue.string)) }
        default: caller?.claims[name]
        }
    }

    /// The groups of a claim; those of the user pool are stored as texts. They are hashed once, for all copies of this
    /// identity.
    func groups(of claim: String) -> TextSet {
        caller?.groups(of: claim) { claim == "cognito:groups" ? groups : self.claim(claim)?.groupNames ?? [] }
            ?? TextSet(texts: [])
    }

    /// Bytes of memory that a subscriber with this identity takes with its places in indexes, roughly; 0 where nothing is
    /// known of it but the mode.
    var byteCount: Int { caller?.byteCount ?? 0 }

    /// Compares the callers by their values; text by its bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.mode == right.mode && (left.caller === right.caller || left.caller?.values == right.caller?.values)
    }

    /// Hashes the identity, as it is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(mode)
        hasher.combine(caller?.values)
    }

    /// What is known of a caller.
    private final class Caller: Sendable {
        let number = numbers.add(1, ordering: .relaxed).newValue
        private static let numbers = Atomic<Int>(0)

        let subject: String?
        let username: String?
        let groups: [String]
        let claims: JSONObject
        let poolRole: PoolRole?
        let isAdmin: Bool
        let isAdministrator: Bool
        let resources: [String]
        let deniedFields: Set<FieldCoordinate>
        /// Not compared.
        let tokenClaims: TokenClaims?

        init(
            subject: String?, username: String?, groups: [String], claims: JSONObject, poolRole: PoolRole? = nil,
            isAdmin: Bool = false, resources: [String] = [], deniedFields: Set<FieldCoordinate> = [],
            tokenClaims: TokenClaims? = nil, isAdministrator: Bool = false
        ) {
            self.tokenClaims = tokenClaims
            self.isAdministrator = isAdministrator
            self.subject = subject
            self.username = username
            self.groups = groups
            self.claims = claims
            self.poolRole = poolRole
            self.isAdmin = isAdmin
            self.resources = resources
            self.deniedFields = deniedFields
        }

        var keptByteCount: Int {
            let texts = groups + resources + [subject, username].compactMap(\.self)
            let ofClaims = claims.reduce(0) { $0 + 64 + ($1.value.stringValue?.utf8.count ?? 0) }
            return texts.reduce(256 + ofClaims + (tokenClaims?.byteCount ?? 0)) { $0 + $1.utf8.count }
        }

        convenience init(_ token: IdentityToken, username: String?, claims names: Set<ExactText>) {
            // In an order that does not depend on the token's.
            let kept = names.sorted().compactMap { name in token.claims[name.text].map { (name.text, $0) } }
            self.init(
                subject: token.claims["sub"]?.stringValue, username: username,
                groups: token.claims["cognito:groups"]?.groupNames ?? [], claims: JSONObject(kept),
                tokenClaims: TokenClaims(token))
        }

        /// The groups of claims that were asked for.
        private let groupSets = Mutex<[ExactText: TextSet]>([:])

        func groups(of claim: String, _ names: () -> [String]) -> TextSet {
            let claim = ExactText(claim)
            return groupSets.withLock { sets in
                if let set = sets[claim] { return set }
                let set = TextSet(texts: names())
                sets[claim] = set
                return set
            }
        }

        var byteCount: Int {
            // The claims that rules look at are a part of the token.
            let ofToken = tokenClaims?.byteCount ?? JSONValue.object(claims).description.utf8.count
            let ofGroups = groupSets.withLock { sets in
                // An index has an entry of about 400 bytes for each text of smaller sets.
                sets.values.reduce(0) { $0 + $1.byteCount + 400 * min($1.texts.count, GroupIndex.indexedTextsMax) }
            }
            return 1_024 + 2 * ofToken + ofGroups
        }

        /// What is compared.
        var values: Values {
            Values(
                names: [subject, username].map { $0.map(ExactText.init(_:)) }, groups: groups.map(ExactText.init(_:)),
                claims: claims, poolRole: poolRole, isAdmin: isAdmin, isAdministrator: isAdministrator,
                resources: resources, deniedFields: deniedFields)
        }

        struct Values: Hashable {
            let names: [ExactText?]
            let groups: [ExactText]
            let claims: JSONObject
            let poolRole: PoolRole?
            let isAdmin: Bool
            let isAdministrator: Bool
            let resources: [String]
            let deniedFields: Set<FieldCoordinate>
        }
    }
}

extension JSONValue {
    /// The groups that a claim names: the texts of a list, also of one that is written as JSON text; any other text is one
    /// group (reference: authorization, "Claims").
    var groupNames: [String] {
        switch self {
        case .array(let elements): return elements.compactMap(\.stringValue)
        case .string(let text):
            if let list = text.jsonList { return list.compactMap(\.stringValue) }
            return text.isEmpty ? [] : [text]
        case .null, .bool, .number, .object: return []
        }
    }

    /// The text that an owner is known by; nil of what is no one's name: a list, also as JSON text, an object, nothing.
    var ownerName: String? {
        switch self {
        case .string(let text): text.isEmpty || text.jsonList != nil ? nil : text
        case .number(let text): text
        case .bool(let bool): bool ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

extension String {
    /// The elements of a JSON list that is written as text; nil of any other text. White space may come before it
    /// (RFC 8259, section 2).
    fileprivate var jsonList: [JSONValue]? {
        let start = utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard start == UInt8(ascii: "["), let value = try? JSONReader.read(self) else { return nil }
        return value.arrayValue
    }
}
