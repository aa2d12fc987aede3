import JSON

/// The callers to which a rule applies.
public enum AccessPrincipal: Sendable {
    /// Guests.
    case guest
    /// Identities with the authenticated role.
    case authenticated
    /// Identities with the role of this group.
    case group(String)
    /// Identities with the authenticated role whose id is in the key at each placeholder of the path.
    case owner
}

extension AccessPrincipal: Hashable {
    /// Compares the callers; names of groups by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.comparedTexts == right.comparedTexts }

    /// Hashes the callers, as they are compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedTexts) }

    private var comparedTexts: [ExactText] {
        switch self {
        case .guest: ["guest"]
        case .authenticated: ["authenticated"]
        case .group(let name): ["group", ExactText(name)]
        case .owner: ["owner"]
        }
    }
}
