import JSON

/// One rule of `@auth` as a value, in the same terms for both versions, with every default resolved
/// (reference: authorization, "Rules as values").
public struct AuthorizationRule: Sendable, Hashable {
    /// The callers that a rule allows.
    public enum Allow: Sendable {
        /// Every caller that the provider accepts without a user: `public`.
        case `public`
        /// Every signed-in caller: `private`.
        case `private`
        /// The caller whose claim is the value of this field, or one of its values: `owner`.
        case owner(field: String, identityClaim: String)
        /// The callers in one of these groups: `groups` with `groups`.
        case groups([String], groupClaim: String)
        /// The callers in a group that this field names: `groups` with `groupsField`.
        case groupsField(String, groupClaim: String)
        /// The callers that a function accepts: `custom`, of version 2.
        case custom
    }

    /// How a caller proves the identity that a rule is about: the argument `provider` of a rule, whose words are the raw values.
    /// It is a type of its own because rules call the modes by other names than an API (`function` for `AWS_LAMBDA`, `identityPool`
    /// for `AWS_IAM`), and roles and messages have these names in them. `mode` is the mode of the API.
    public enum Provider: String, Sendable, Hashable, CaseIterable {
        /// A key that every client shares.
        case apiKey
        /// A signed request. `identityPool` of version 2 is another name for it.
        case iam
        /// A token of a foreign provider.
        case oidc
        /// A token of the user pool.
        case userPools
        /// A function, of version 2.
        case function
    }

    /// What a rule allows to do with the items of a model.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// The get query.
        case get
        /// The list query. In version 2 it includes the queries of indexes.
        case list
        /// The sync query. In version 1 it comes with `search`, `listen`, connections and the queries of indexes.
        case sync
        /// The search query.
        case search
        /// Subscriptions.
        case listen
        /// The create mutation.
        case create
        /// The update mutation.
        case update
        /// The delete mutation; on a field, setting it to null.
        case delete

        /// What `read` stands for.
        public static let read = Set(reads)
        /// The same operations in the order of all cases.
        static let reads = allCases.filter(\.isRead)
        /// All operations: what a rule without `operations` allows.
        public static let all = Set(allCases)

        /// Whether `read` includes it.
        var isRead: Bool {
            switch self {
            case .get, .list, .sync, .search, .listen: true
            case .create, .update, .delete: false
            }
        }
    }

    /// The type that the rule stands on or in.
    public var type: String
    /// The field that the rule stands on; nil on a type.
    public var field: String?
    /// The callers that the rule allows.
    public var allow: Allow
    /// How the caller proves the identity.
    public var provider: Provider
    /// What the rule allows. Of no meaning on fields of root types and of nested types, where it is `Operation.all`.
    public var operations: Set<Operation>
    /// Whether the rule comes from the sandbox and not from `@auth`.
    private(set) var isSandbox = false

    /// A rule by its parts.
    public init(
        type: String, field: String? = nil, allow: Allow, provider: Provider,
        operations: Set<Operation> = Operation.all
    ) {
        self.type = type
        self.field = field
        self.allow = allow
        self.provider = provider
        self.operations = operations
    }

    /// The rule of a model without `@auth` in a sandbox.
    static func sandbox(_ type: String) -> Self {
        var rule = Self(type: type, allow: .public, provider: .apiKey)
        rule.isSandbox = true
        return rule
    }

    /// The roles of the rule in the order of `roles(in:)`, by the names that Amplify's messages use:
    /// `Post:userPools:owner:owner:sub::username`. Of a rule on a field the field follows the type. Static groups are a role
    /// each.
    public var roleNames: [String] {
        // A name has the claim as it is written, in both versions.
        roles(in: .v1).map { "\(type)\(field.map { ".\($0)" } ?? ""):\($0)" }
    }
}

extension AuthorizationRule.Allow: Hashable {
    /// Compares the names of groups, fields and claims by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.comparedTexts == right.comparedTexts }

    /// Hashes the callers, as they are compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedTexts) }

    /// The kind, and what distinguishes callers of this kind.
    private var comparedTexts: [ExactText] {
        switch self {
        case .public: ["public"]
        case .private: ["private"]
        case .custom: ["custom"]
        case .owner(let field, let claim): ["owner", ExactText(field), ExactText(claim)]
        case .groups(let groups, let claim): ["groups", ExactText(claim)] + groups.map(ExactText.init(_:))
        case .groupsField(let field, let claim): ["groupsField", ExactText(field), ExactText(claim)]
        }
    }
}
