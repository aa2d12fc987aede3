import Tables

/// In this target a condition is one on items; the GraphQL target's, of `@skip` and `@include`, stays inside it.
typealias Condition = Tables.Condition

/// One check of a field: what it grants an identity. The plan holds the checks, a request decides them once per field.
///
/// Empty for every field that the schema's rules leave open; a decision is obeyed before anything is fetched.
struct AuthorizationCheck: Sendable {
    var decide: @Sendable (Identity) -> AuthorizationDecision
}

enum AuthorizationDecision: Sendable {
    case allow
    case deny
    /// Allowed for items that meet a condition: it goes down into the statement.
    case narrow(Condition)
}

enum Authorization {
    /// Rules are alternatives: one that allows is enough, and conditions are joined by OR. No rule is no restriction.
    static func decide(_ rules: [AuthorizationCheck], for identity: Identity) -> AuthorizationDecision {
        guard !rules.isEmpty else { return .allow }
        var conditions: [Condition] = []
        for rule in rules {
            switch rule.decide(identity) {
            case .allow: return .allow
            case .deny: continue
            case .narrow(let condition): conditions.append(condition)
            }
        }
        return conditions.isEmpty ? .deny : .narrow(.or(conditions))
    }
}

extension Condition {
    /// Both must hold; a missing one asks nothing.
    static func both(_ first: Condition?, _ second: Condition?) -> Condition? {
        switch (first, second) {
        case (let first?, let second?): .and([first, second])
        case (let condition?, nil), (nil, let condition?): condition
        case (nil, nil): nil
        }
    }
}
