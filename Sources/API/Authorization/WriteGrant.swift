import Tables

/// The fields that one role of an identity may write.
struct WriteGrant: Sendable, Hashable {
    /// The condition on the item for the identity to have the role; `Condition.always` for a static role.
    var condition: Condition
    /// Whether all fields may be written, and set to null.
    var isWhole: Bool
    /// The fields that may be written.
    var fields: Set<String>
    /// The fields that may be set to null.
    var nullableFields: Set<String> = []
    /// The owner field of which the identity becomes the owner, and so has the role, if the input of a create lacks it.
    var filledField: String?

    /// All fields of every item.
    static let whole = WriteGrant(condition: .always, isWhole: true, fields: [])
}

extension Condition {
    /// The disjunction of some conditions.
    static func any(_ conditions: [Condition]) -> Condition {
        if conditions.contains(.always) { return .always }
        return conditions.count == 1 ? conditions[0] : .or(conditions)
    }
}
