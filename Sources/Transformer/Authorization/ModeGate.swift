import GraphQL
import JSON

/// The modes by which a type or field is reached: what its `@aws_*` directives say
/// (reference: authorization, "Service directives").
public struct ModeGate: Sendable {
    /// The modes that pass.
    public var modes: Set<TransformOptions.AuthMode>
    /// Of the user pool: the groups of which a caller must have one; nil of a gate for all its users.
    public var groups: [String]?

    /// A gate by its parts.
    public init(modes: Set<TransformOptions.AuthMode>, groups: [String]? = nil) {
        (self.modes, self.groups) = (modes, groups)
    }
}

extension ModeGate: Hashable {
    /// Compares the modes, and the names of the groups by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.modes == right.modes && left.exactGroups == right.exactGroups
    }

    /// Hashes the gate, as it is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(modes)
        hasher.combine(exactGroups)
    }

    var exactGroups: [ExactText]? { groups?.map(ExactText.init(_:)) }
}

extension ModeGate {
    /// The gate of the directives of one type or field; nil where none of them is about modes.
    init?(_ directives: [DirectiveNode], readsOldDirective: Bool) {
        var modes: Set<TransformOptions.AuthMode> = []
        var groups: [String]?
        for directive in directives {
            guard let mode = Self.mode(directive.name, readsOldDirective: readsOldDirective) else { continue }
            modes.insert(mode)
            if mode == .userPools, directive["cognito_groups"] != nil { groups = directive.names("cognito_groups") }
        }
        guard !modes.isEmpty else { return nil }
        self.init(modes: modes, groups: groups)
    }

    /// The mode that a directive is about; nil of another directive.
    static func mode(_ directive: String, readsOldDirective: Bool) -> TransformOptions.AuthMode? {
        switch directive {
        case "aws_api_key": .apiKey
        case "aws_iam": .iam
        case "aws_oidc": .oidc
        case "aws_lambda": .lambda
        case "aws_cognito_user_pools": .userPools
        case "aws_auth": readsOldDirective ? .userPools : nil
        default: nil
        }
    }
}
