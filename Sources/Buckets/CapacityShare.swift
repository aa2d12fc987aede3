/// Whose share of a bounded resource a request takes.
public enum CapacityShare: Sendable, Hashable {
    /// That of operators, for whom a part of every resource is kept.
    case `operator`
    /// That of an identity with a role of those who signed in.
    case identity(String)
    /// That of guests and unsigned requests of a network: anyone can get any number of guest identities.
    case guests
}

extension BucketCaller {
    /// Whose share the caller's requests take.
    public var share: CapacityShare {
        switch self {
        case .operator: .operator
        case .authenticated(let id), .group(_, let id): .identity(id)
        case .anonymous, .guest: .guests
        }
    }
}
