import GraphQL
import Tables

/// What a request is given of a field that rules are about.
enum FieldAccess {
    /// The field is completed as one without rules.
    case open
    /// The items that it reads are narrowed.
    case rows(RowDecision)
    /// It is left out of the result without an error.
    case redacted
    /// It is null, with the error `Unauthorized`.
    case denied
}

extension Completion.Scope {
    /// What the request is given of a field that stands in a row. Called before anything of it is read or executed.
    func access(to authorization: FieldAuthorization, of row: some ParentRow) -> FieldAccess {
        guard !authorization.isUnreachable, let decisions else { return .denied }
        if let field = authorization.field, decisions[field] != .allow { return .denied }
        if let check = authorization.check {
            switch decisions[check] {
            case .allow: break
            case .check(let condition):
                guard let table = authorization.table,
                    condition.holds(of: row, in: table, at: { authorization.positions[$0] })
                else { return .denied }
            default: return .denied
            }
        }
        if authorization.isRedacted { return .redacted }
        guard let action = authorization.action else { return .open }
        switch decisions[action] {
        case .allow: return .open
        case .rows(let rows): return .rows(rows)
        default: return .denied
        }
    }

    /// Whether a field is given to the request, in whole or in part.
    func allows(_ field: PlannedField, of row: some ParentRow) -> Bool {
        guard let authorization = field.authorization else { return true }
        switch access(to: authorization, of: row) {
        case .open, .rows: return true
        case .redacted, .denied: return false
        }
    }
}

extension DecisionTable? {
    /// What the rules decide of a write or of a subscription; nil where they refuse it, whatever its arguments.
    func decision(about field: PlannedField) -> Decision? {
        guard let authorization = field.authorization else { return .allow }
        guard !authorization.isUnreachable, let self else { return nil }
        if let field = authorization.field, self[field] != .allow { return nil }
        guard let action = authorization.action else { return .allow }
        return self[action] == .deny ? nil : self[action]
    }
}
