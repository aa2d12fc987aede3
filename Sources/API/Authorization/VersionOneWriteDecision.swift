import GraphQL
import Tables

/// The condition of version 1 rules on the stored item of an update or delete. It fails like the caller's own condition, but
/// the error does not contain the item (reference: authorization, "Version 1").
struct VersionOneWriteDecision: Sendable, Hashable {
    /// The condition for writing a field.
    struct Field: Sendable, Hashable {
        var name: String
        /// Whether it applies only if the field is set to null.
        var isNull: Bool
        /// Nil if none of the caller's roles may write it.
        var condition: Condition?
    }

    let condition: Condition
    let fields: [Field]

    /// The combined condition on the item; nil if the input has a field that the caller may never write.
    private func condition(of input: CoercedValue) -> Condition? {
        var parts = condition == .always ? [] : [condition]
        for field in fields {
            guard let value = input[field.name], !field.isNull || value.isNull else { continue }
            guard let condition = field.condition else { return nil }
            if !parts.contains(condition) { parts.append(condition) }
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// The guard of a write with this input, which is checked before the version of the item.
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
