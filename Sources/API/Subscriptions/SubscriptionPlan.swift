import GraphQL
import JSON
import Tables

/// A field of `Subscription`, planned: which mutation fields it follows, and how its selection is completed.
final class SubscriptionPlan: Sendable {
    /// How the selection is completed of a stored item, as any model's is.
    struct RowPlan: Sendable {
        var table: StoredTable
        /// Positions are those of the table's columns.
        var fields: [PlannedField]
    }

    /// None for a field without `@aws_subscribe`, which is acknowledged and never receives anything.
    let topics: [Topic]
    let arguments: ArgumentTemplate
    /// All that the field's definition has.
    let argumentNames: [String]
    /// The field's own resolver, which runs once, when it is subscribed to; its answer is not looked at.
    let function: FieldFunction?
    /// Completes the selection of an event's tree.
    let shape: JSONShape
    /// Completes it of the item that was written; only in the mode that fills events.
    let row: RowPlan?
    /// Whether a function answers a field of the selection, so that events differ by who subscribes.
    let passesIdentity: Bool

    init(
        topics: [Topic], arguments: ArgumentTemplate, argumentNames: [String], function: FieldFunction?,
        shape: JSONShape, row: RowPlan?, passesIdentity: Bool
    ) {
        self.topics = topics
        self.arguments = arguments
        self.argumentNames = argumentNames
        self.function = function
        self.shape = shape
        self.row = row
        self.passesIdentity = passesIdentity
    }
}
