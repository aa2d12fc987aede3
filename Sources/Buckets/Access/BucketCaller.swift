/// The authenticated caller of a request to a bucket.
public enum BucketCaller: Sendable, Hashable {
    /// The request is not signed.
    case anonymous
    /// A guest of an identity pool, by the identity's id.
    case guest(identityID: String)
    /// An identity with the authenticated role.
    case authenticated(identityID: String)
    /// An identity with the role of a group, which replaces the authenticated role.
    case group(String, identityID: String)
    /// An operator, by the id of the access key. Operators may do everything.
    case `operator`(accessKeyID: String)

    /// The identity's id, if the caller has one.
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
