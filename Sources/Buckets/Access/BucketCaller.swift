/// Who makes a request to a bucket, as the server has authenticated it.
public enum BucketCaller: Sendable, Hashable {
    /// The request is not signed.
    case anonymous
    /// A guest of an identity pool, by the identity's id.
    case guest(identityID: String)
    /// Who signed in and has the role of signed-in identities.
    case authenticated(identityID: String)
    /// Who signed in and has the role of a group, which takes the place of the signed-in role.
    case group(String, identityID: String)
    /// An operator, by the id of the access key. Operators may do everything.
    case `operator`(accessKeyID: String)

    /// The identity's id, of who has one.
    public var identityID: String? {
        switch self {
        case .anonymous, .operator: nil
        case .guest(let id), .authenticated(let id), .group(_, let id): id
        }
    }

    /// Whether it is an operator.
    var isOperator: Bool { if case .operator = self { true } else { false } }

    /// The `principalId` of an event.
    var principal: String {
        switch self {
        case .anonymous: "Anonymous"
        case .guest(let id), .authenticated(let id), .group(_, let id): "AWS:\(id)"
        case .operator(let id): "AWS:\(id)"
        }
    }
}
