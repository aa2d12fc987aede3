import JSON
import Tables

/// Whom temporary credentials belong to.
public struct TemporaryIdentity: Sendable, Hashable {
    /// The identity pool's id.
    public let poolID: String
    /// The identity's id.
    public let identityID: String
    /// Whether the identity signed in; a guest has not.
    public let isAuthenticated: Bool
    /// The ARN of the role.
    public let role: String
    /// The group whose role it is; nil of the roles of the identity pool.
    public let group: String?
    /// The user pool and the `sub` of who signed in.
    public let userPoolID: String?
    /// The `sub`.
    public let sub: String?
    /// When the credentials end, in milliseconds since 1970.
    public let expires: Int64

    /// The ARN of the session: `arn:aws:sts::ACCOUNT:assumed-role/ROLE/CognitoIdentityCredentials`.
    public var userARN: String {
        let name = role.split(separator: "/").last ?? ""
        return "arn:aws:sts::\(Self.accountID):assumed-role/\(name)/CognitoIdentityCredentials"
    }

    /// The account of the ARNs of this server; the ARN of an access key may have another.
    public static let accountID = "000000000000"

    /// `cognitoIdentityAuthProvider`, in AWS's form.
    public var authenticationProvider: String? {
        guard let userPoolID, let sub else { return nil }
        let provider = "cognito-idp.\(userPoolID.prefix { $0 != "_" }).amazonaws.com/\(userPoolID)"
        return "\"\(provider)\",\"\(provider):CognitoSignIn:\(sub)\""
    }

    init(
        poolID: String, identityID: String, isAuthenticated: Bool, role: String, group: String? = nil,
        userPoolID: String?, sub: String?, expires: Int64
    ) {
        self.group = group
        (self.poolID, self.identityID, self.isAuthenticated) = (poolID, identityID, isAuthenticated)
        (self.role, self.userPoolID, self.sub, self.expires) = (role, userPoolID, sub, expires)
    }

    init?(_ object: JSONObject) {
        let document = RecordDocument(object)
        guard let poolID = document.string("pool"), let identityID = document.string("identity"),
            let role = document.string("role"), let expires = document.integer("expires")
        else { return nil }
        self.init(
            poolID: poolID, identityID: identityID, isAuthenticated: document.bool("authenticated"), role: role,
            group: document.string("group"), userPoolID: document.string("userPool"), sub: document.string("sub"),
            expires: expires)
    }

    var json: JSONObject {
        var document = RecordDocument()
        document.set("pool", poolID)
        document.set("identity", identityID)
        document.set("authenticated", isAuthenticated)
        document.set("role", role)
        document.set("group", group)
        document.set("userPool", userPoolID)
        document.set("sub", sub)
        document.set("expires", expires)
        return document.object
    }
}
