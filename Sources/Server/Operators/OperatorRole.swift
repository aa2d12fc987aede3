/// What an operator may do; each role includes those before it.
public enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Reads everything but secrets.
    case viewer
    /// Changes data as well.
    case editor
    /// Changes settings, keys and operators as well.
    case owner

    /// Whether `lhs` may do less.
    public static func < (lhs: OperatorRole, rhs: OperatorRole) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}
