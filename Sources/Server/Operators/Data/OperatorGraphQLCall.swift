import HTTP
import JSON

/// `POST /graphql`: a GraphQL request, and the identity that it runs as.
struct OperatorGraphQLCall: Sendable, Equatable {
    /// The identity that a request runs as, as `x-syncline-as` names it.
    enum Caller: Sendable, Equatable {
        /// The administrator, for whom no rules are evaluated.
        case administrator
        /// A caller with the API key of this name.
        case key(String)
        /// A user of the first user pool.
        case user(String)
        /// A user without an account who is in these groups.
        case groups([String])
        /// A user without an account, with these claims; for owners only.
        case claims(JSONObject)
        /// A caller with temporary credentials of an identity pool.
        case identityPool(isAuthenticated: Bool)
        /// A caller without credentials.
        case nobody

        /// Says what a header line or a parameter may be that names a caller.
        static func forms(_ name: String) -> String {
            "'\(name)' is admin, key:NAME, user:NAME, group:A,B, iam:auth, iam:guest, none or claims:{…}."
        }

        /// Groups of a caller.
        private static let groupCountMax = 100

        init?(_ text: String) {
            switch text {
            case "admin": self = .administrator
            case "none": self = .nobody
            case "iam:auth": self = .identityPool(isAuthenticated: true)
            case "iam:guest": self = .identityPool(isAuthenticated: false)
            case _ where text.hasPrefix("group:"):
                let groups = text.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                guard groups.count <= Self.groupCountMax, !groups.contains("") else { return nil }
                self = .groups(groups)
            case _ where text.hasPrefix("claims:"):
                guard let claims = (try? JSONReader.read(String(text.dropFirst(7))))?.objectValue else { return nil }
                self = .claims(claims)
            case _ where text.hasPrefix("key:") && text != "key:": self = .key(String(text.dropFirst(4)))
            case _ where text.hasPrefix("user:") && text != "user:": self = .user(String(text.dropFirst(5)))
            default: return nil
            }
        }

        var text: String {
            switch self {
            case .administrator: "admin"
            case .key(let name): "key:\(name)"
            case .user(let name): "user:\(name)"
            case .groups(let groups): "group:\(groups.joined(separator: ","))"
            // The values of claims are about persons.
            case .claims: "claims"
            case .identityPool(let isAuthenticated): isAuthenticated ? "iam:auth" : "iam:guest"
            case .nobody: "none"
            }
        }
    }

    let envelope: [UInt8]
    let caller: Caller
    /// Whether the answer explains what rules have decided.
    let explains: Bool

    init(_ request: Request) throws(OperatorProblem) {
        envelope = unsafe request.withBody { unsafe Array($0) }
        let text = request[header: "x-syncline-as"] ?? "admin"
        guard let caller = Caller(text) else {
            throw .invalid(Caller.forms("x-syncline-as"), field: "x-syncline-as")
        }
        self.caller = caller
        explains = request[header: "x-syncline-explain"] == "1"
    }

    /// Whether it may change something: a document without the word has no mutation. JSON may spell the word with escapes.
    var mayChange: Bool { Self.mayChange(envelope) }

    /// The same of an envelope.
    static func mayChange(_ envelope: [UInt8]) -> Bool {
        ["mutation", "\\u"].contains { envelope.firstRange(of: Array($0.utf8)) != nil }
    }
}
