import JSON
import Tables
import Transformer

/// Which roles an identity has (reference: authorization, "Roles") (reference: authorization, "Claims").
///
/// Only the roles of the identity's own mode: those of the others do not exist for it.
struct CallerRoles {
    /// What an identity has of a role.
    enum Holding {
        case none
        /// The role, whatever the item.
        case all
        /// The role for items whose field has one of these values.
        case values(Values)
    }

    /// The values by which an item is recognised.
    struct Values {
        /// What a create would store: all claims, joined; nil if one is missing, and of groups.
        var stored: String?
        /// Each once: what would be stored, and each claim by itself, or each group.
        var all: [String]

        var values: [Value] { all.map(Value.text) }
    }

    /// Joins the claims of an owner. A claim of several that contains it counts as absent: it would equal what is stored of
    /// another user, `a::b` as one claim, `a` and `b` as two.
    fileprivate static let claimSeparator = "::"

    let identity: Identity

    init(_ identity: Identity) { self.identity = identity }

    /// - Parameter ignoringProvider: Whether callers of another mode may have the role, too: in version 1 those of another
    ///   provider of the operation's rules.
    func holding(of role: AuthorizationRole, ignoringProvider: Bool = false) -> Holding {
        guard ignoringProvider || role.provider == provider else { return .none }
        switch role.member {
        case .public:
            return identity.mode == .apiKey || identity.poolRole == .unauthenticated ? .all : .none
        case .private:
            return identity.mode != .iam || identity.poolRole == .authenticated ? .all : .none
        case .custom: return .all
        case .group(let group, let claim):
            return groups(claim).contains { $0.isExactly(group) } ? .all : .none
        case .groups(_, let claim):
            let groups = Self.unique(groups(claim))
            return groups.isEmpty ? .none : .values(Values(all: groups))
        case .owner(_, let claims):
            let names = claims.map { claim in
                identity.claim(claim)?.ownerName.flatMap { claims.count > 1 && $0.hasClaimSeparator ? nil : $0 }
            }
            let present = names.compactMap { $0 }
            let stored = present.count == names.count ? present.joined(separator: Self.claimSeparator) : nil
            let all = Self.unique([stored].compactMap { $0 } + present)
            return all.isEmpty ? .none : .values(Values(stored: stored, all: all))
        }
    }

    var provider: AuthorizationRule.Provider {
        switch identity.mode {
        case .apiKey: .apiKey
        case .userPools: .userPools
        case .oidc: .oidc
        case .iam: .iam
        case .lambda: .function
        }
    }

    /// The groups of a claim; those of the user pool are kept as texts.
    private func groups(_ claim: String) -> [String] {
        claim == "cognito:groups" ? identity.groups : identity.claim(claim)?.groupNames ?? []
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<ExactText> = []
        return texts.filter { seen.insert(ExactText($0)).inserted }
    }
}

extension String {
    fileprivate var hasClaimSeparator: Bool {
        let colon = UInt8(ascii: ":")
        return zip(utf8, utf8.dropFirst()).contains { $0 == colon && $1 == colon }
    }
}
