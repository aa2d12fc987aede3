import GraphQL
import Tables

/// The access of a request to a field with rules.
enum FieldAccess {
    /// The field is completed like a field without rules.
    case open
    /// The items that it reads are restricted.
    case rows(RowDecision)
    /// It is null in the result, without an error.
    case redacted
    /// It is null, with the error `Unauthorized`.
    case denied
}

extension Completion.Scope {
    /// The access of the request to a field of a row. Called before the field is read or executed.
    /// - Parameter checks: The results of the row's conditions so far.
    func access(
        to authorization: FieldAuthorization, of row: some ParentRow, _ checks: inout RowChecks
    ) -> FieldAccess {
        guard !authorization.isUnreachable else { return .denied }
        // Without a decision, as in an event of a custom subscription, a field that all subscribers lack is null all the same.
        guard let decisions else { return authorization.isOnlyRedacted ? .redacted : .denied }
        if let field = authorization.field, decisions[field] != .allow { return .denied }
        if let check = authorization.check {
            switch decisions[check] {
            case .allow: break
            case .check(let condition):
                guard let table = authorization.table,
                    checks.holds(
                        decisions.place(ofCheck: check),
                        {
                            let isMet = condition.holds(of: row, in: table, at: { authorization.positions[$0] })
                            return (isMet, authorization.checkedByteCount(of: row))
                        })
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

    /// Whether the request has access to the field, in whole or in part.
    func allows(_ field: PlannedField, of row: some ParentRow, _ checks: inout RowChecks) -> Bool {
        guard let authorization = field.authorization else { return true }
        switch access(to: authorization, of: row, &checks) {
        case .open, .rows: return true
        case .redacted, .denied: return false
        }
    }
}

extension FieldAuthorization {
    /// Bytes that the check looks at, roughly.
    fileprivate func checkedByteCount(of row: some ParentRow) -> Int {
        var byteCount = 64
        for position in positions where position >= 0 && !row.isNull(position) {
            byteCount += unsafe row.withText(position) { $0.count }
        }
        return byteCount
    }
}

extension DecisionTable? {
    /// The decision for a write or a subscription; nil if it is denied whatever its arguments.
    func decision(about field: PlannedField) -> Decision? {
        guard let authorization = field.authorization else { return .allow }
        guard !authorization.isUnreachable, let self else { return nil }
        if let field = authorization.field, self[field] != .allow { return nil }
        guard let action = authorization.action else { return .allow }
        return self[action] == .deny ? nil : self[action]
    }
}
