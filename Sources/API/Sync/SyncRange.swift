import Tables

/// A key of a sync, and the value that its items have.
struct SyncRange: Sendable {
    let index: SyncIndex
    let value: Value

    /// The first key whose column a condition demands to be equal to something.
    init?(_ indexes: [SyncIndex], for condition: Condition?) {
        guard let condition else { return nil }
        for index in indexes {
            guard let value = condition.value(demandedOf: index.column) else { continue }
            (self.index, self.value) = (index, value)
            return
        }
        return nil
    }
}

extension Condition {
    /// The value that a column has wherever the condition is true; nil where it may have several, or none.
    fileprivate func value(demandedOf column: Int) -> Value? {
        switch self {
        case .compare(column, .eq, let value) where value != .null: value
        case .and(let parts): parts.lazy.compactMap { $0.value(demandedOf: column) }.first
        case .or(let parts) where parts.count == 1: parts[0].value(demandedOf: column)
        default: nil
        }
    }
}
