/// What the owner of an access key may do; each role includes those before it.
public enum AccessRole: String, Sendable, CaseIterable, Comparable {
    /// Reads everything but secrets.
    case viewer
    /// Changes users and groups as well.
    case editor
    /// Changes pools, clients and identity pools as well.
    case owner

    /// Whether `lhs` may do less.
    public static func < (lhs: AccessRole, rhs: AccessRole) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}
