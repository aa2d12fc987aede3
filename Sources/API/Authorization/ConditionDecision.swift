import GraphQL
import Tables

/// What rules of version 1 ask of the stored item of an update or delete: a condition beside the caller's own, which fails
/// in the same way, but shows nothing of the item (reference: authorization, "Version 1").
struct ConditionDecision: Sendable, Hashable {
    /// What is asked where a field is written.
    struct Field: Sendable, Hashable {
        var name: String
        /// Whether it is asked only where the field is set to null.
        var isNull: Bool
        /// Nil where nobody of the caller's roles may write it.
        var condition: Condition?
    }

    let condition: Condition
    let fields: [Field]

    /// All that must hold of the item; nil where the input has a field that the caller may never write.
    private func condition(of input: CoercedValue) -> Condition? {
        var parts = condition == .always ? [] : [condition]
        for field in fields {
            guard let value = input[field.name], !field.isNull || value.isNull else { continue }
            guard let condition = field.condition else { return nil }
            if !parts.contains(condition) { parts.append(condition) }
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// The guard of a write with this input, which is asked before the version of the item.
    enum Guarding {
        /// The input has a field that the caller may never write.
        case refused
        case unguarded
        case guarded(WriteGuard)
    }

    func guarding(of input: CoercedValue) -> Guarding {
        guard let condition = condition(of: input) else { return .refused }
        return condition == .always ? .unguarded : .guarded(WriteGuard(full: .never, admission: condition))
    }
}
