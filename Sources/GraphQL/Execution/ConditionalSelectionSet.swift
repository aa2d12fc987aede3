/// A selection set, and what has to hold for it to count.
public struct ConditionalSelectionSet: Sendable {
    /// The selections.
    public let selections: NodeRange<Selection>
    /// All of these have to hold.
    public internal(set) var conditions: [Condition]

    /// A selection set that counts under conditions.
    public init(_ selections: NodeRange<Selection>, conditions: [Condition] = []) {
        self.selections = selections
        self.conditions = conditions
    }
}
