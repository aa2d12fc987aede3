import Tables

/// What one role of an identity may write.
struct WriteGrant: Sendable, Hashable {
    /// What the item must be for the identity to have the role; `Condition.always` of a role that the identity has anyway.
    var condition: Condition
    /// Whether all fields may be written, and set to null.
    var isWhole: Bool
    /// The fields that may be written.
    var fields: Set<String>
    /// The fields that may be set to null.
    var nullableFields: Set<String> = []

    /// All, whatever the item.
    static let whole = WriteGrant(condition: .always, isWhole: true, fields: [])
}

extension Condition {
    /// That one of some conditions holds.
    static func any(_ conditions: [Condition]) -> Condition {
        if conditions.contains(.always) { return .always }
        return conditions.count == 1 ? conditions[0] : .or(conditions)
    }
}
