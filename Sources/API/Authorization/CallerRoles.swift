import JSON
import Tables
import Transformer

/// The roles of an identity (reference: authorization, "Roles") (reference: authorization, "Claims"). Only roles of the
/// identity's own mode count.
struct CallerRoles {
    /// How an identity has a role.
    enum Holding {
        case none
        /// For every item.
        case all
        /// For items whose field has one of these values.
        case values(Values)
    }

    /// The values that an item's field may have.
    struct Values {
        /// The value that a create stores: all claims, joined; nil if one is missing, and for groups.
        var stored: String?
        /// The stored value and each single claim, or each group.
        var all: TextSet
    }

    /// Joins the claims of an owner. In a field that holds joined claims, a claim that contains the separator counts as absent:
    /// `a::b` as one claim would equal the joined claims `a` and `b` of another user.
    static let claimSeparator = "::"

    /// Whether a claim with the separator counts as absent: this role or another one stores joined claims in the field.
    static func isJoined(_ claims: [String], in field: String, _ joinedFields: Set<String>) -> Bool {
        claims.count > 1 || joinedFields.contains(field)
    }

    let identity: Identity

    init(_ identity: Identity) { self.identity = identity }

    /// - Parameters:
    ///   - ignoringProvider: Whether callers of another mode may have the role too. In version 1 these are the callers of any
    ///     provider in the operation's rules.
    ///   - joinedFields: The owner fields for which some role stores several claims, joined. A single claim that contains the
    ///     separator counts as absent for them too, because it could equal what that role stores.
    func holding(
        of role: AuthorizationRole, ignoringProvider: Bool = false, joinedFields: Set<String> = []
    ) -> Holding {
        guard ignoringProvider || role.provider == provider else { return .none }
        switch role.member {
        case .public:
            return identity.mode == .apiKey || identity.poolRole == .unauthenticated ? .all : .none
        case .private:
            return identity.mode != .iam || identity.poolRole == .authenticated ? .all : .none
        case .custom: return .all
        case .group(let group, let claim):
            return identity.groups(of: claim).contains(group) ? .all : .none
        case .groups(_, let claim):
            let groups = identity.groups(of: claim)
            return groups.texts.isEmpty ? .none : .values(Values(all: groups))
        case .owner(let field, let claims):
            let isJoined = Self.isJoined(claims, in: field, joinedFields)
            let names = claims.map { ownerName($0, isJoined: isJoined) }
            let present = names.compactMap { $0 }
            let stored = present.count == names.count ? present.joined(separator: Self.claimSeparator) : nil
            let all = TextSet(texts: [stored].compactMap { $0 } + present)
            return all.texts.isEmpty ? .none : .values(Values(stored: stored, all: all))
        }
    }

    /// The text of a claim that owners are compared with; nil if it is absent or counts as absent.
    func ownerName(_ claim: String, isJoined: Bool) -> String? {
        identity.claim(claim)?.ownerName.flatMap { isJoined && $0.hasClaimSeparator ? nil : $0 }
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
}

extension String {
    fileprivate var hasClaimSeparator: Bool {
        let colon = UInt8(ascii: ":")
        return zip(utf8, utf8.dropFirst()).contains { $0 == colon && $1 == colon }
    }
}
