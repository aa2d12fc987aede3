import JSON

/// One entry of a rule as decisions are made by: which callers it allows, and through which provider. Each group of a rule is a
/// role of its own (reference: authorization, "Roles").
public struct AuthorizationRole: Sendable, Hashable {
    /// The callers that a role allows.
    public enum Member: Sendable {
        /// Every caller that the provider accepts without a user.
        case `public`
        /// Every signed-in caller.
        case `private`
        /// Every caller that a function accepts.
        case custom
        /// The callers in this group, which the claim names.
        case group(String, claim: String)
        /// The caller whose claim, or whose claims joined by `::`, is the value of a field or among its values.
        case owner(field: String, claims: [String])
        /// The callers in a group that a field names, by the groups of the claim.
        case groups(field: String, claim: String)
    }

    /// How the caller proves the identity.
    public var provider: AuthorizationRule.Provider
    /// The callers that the role allows.
    public var member: Member

    /// A role by its parts.
    public init(provider: AuthorizationRule.Provider, member: Member) {
        self.provider = provider
        self.member = member
    }

    /// The field whose value decides; nil where the identity alone does.
    public var field: String? {
        switch member {
        case .public, .private, .custom, .group: nil
        case .owner(let field, _), .groups(let field, _): field
        }
    }

    /// Whether the identity alone decides.
    public var isStatic: Bool { field == nil }

    /// The claims that are looked at.
    public var claims: [String] {
        switch member {
        case .public, .private, .custom: []
        case .group(_, let claim), .groups(_, let claim): [claim]
        case .owner(_, let claims): claims
        }
    }
}

extension AuthorizationRole.Member: Hashable {
    /// Compares the names of groups, fields and claims by their bytes, as the values of items and tokens are compared.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.public, .public), (.private, .private), (.custom, .custom): true
        case (.group(let name, let claim), .group(let otherName, let otherClaim)),
            (.groups(let name, let claim), .groups(let otherName, let otherClaim)):
            name.isExactly(otherName) && claim.isExactly(otherClaim)
        case (.owner(let field, let claims), .owner(let otherField, let otherClaims)):
            field.isExactly(otherField) && claims.elementsEqual(otherClaims) { $0.isExactly($1) }
        default: false
        }
    }

    /// Hashes the member, as it is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedTexts) }

    /// The kind, and what distinguishes members of this kind.
    private var comparedTexts: [ExactText] {
        switch self {
        case .public: ["public"]
        case .private: ["private"]
        case .custom: ["custom"]
        case .group(let group, let claim): ["group", ExactText(group), ExactText(claim)]
        case .owner(let field, let claims): ["owner", ExactText(field)] + claims.map(ExactText.init(_:))
        case .groups(let field, let claim): ["groups", ExactText(field), ExactText(claim)]
        }
    }
}

extension AuthorizationRole: CustomStringConvertible {
    /// The role's name in Amplify's messages, without the type: `userPools:owner:owner:sub::username`.
    public var description: String {
        let member =
            switch member {
            case .public: "public"
            case .private: "private"
            case .custom: "custom"
            case .group(let group, let claim): "staticGroup:\(group):\(claim)"
            case .owner(let field, let claims): "owner:\(field):\(claims.joined(separator: "::"))"
            case .groups(let field, let claim): "dynamicGroup:\(field):\(claim)"
            }
        return "\(provider.rawValue):\(member)"
    }
}

extension AuthorizationRule {
    /// The roles of the rule. In version 2 a claim with `::` is several claims, joined; in version 1 it is one.
    public func roles(in version: TransformOptions.TransformerVersion) -> [AuthorizationRole] {
        let members: [AuthorizationRole.Member] =
            switch allow {
            case .public: [.public]
            case .private: [.private]
            case .custom: [.custom]
            case .owner(let field, let claim): [.owner(field: field, claims: version == .v2 ? claim.claims : [claim])]
            case .groups(let groups, let claim): groups.map { .group($0, claim: claim) }
            case .groupsField(let field, let claim): [.groups(field: field, claim: claim)]
            }
        return members.map { AuthorizationRole(provider: provider, member: $0) }
    }
}

extension String {
    /// The parts between each `::`.
    fileprivate var claims: [String] {
        guard utf8.contains(UInt8(ascii: ":")) else { return [self] }
        var parts: [String] = []
        var rest = self[...]
        while let separator = rest.indices.first(where: { rest[$0...].hasPrefix("::") }) {
            parts.append(String(rest[..<separator]))
            rest = rest[rest.index(separator, offsetBy: 2)...]
        }
        return parts + [String(rest)]
    }
}
