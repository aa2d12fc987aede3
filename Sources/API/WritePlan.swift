import GraphQL
import Tables
import Transformer

/// A mutation field: which write its arguments become, and what is selected of its item.
final class WritePlan: Sendable {
    enum Kind: Sendable { case create, update, delete }

    let kind: Kind
    let model: Model
    let table: StoredTable
    let arguments: ArgumentTemplate
    /// The columns that the write gives back, in the order that `fields` count on.
    let returning: [Int]
    let fields: [PlannedField]
    /// Where its events go; nil when no subscription follows the field.
    let topic: Topic?
    /// Whether events are made of the whole item; then `returning` are all columns in their order.
    let fillsEvents: Bool
    /// The fields that events of the whole item leave out, since not every reader of the model may read them.
    let redactedFields: Set<String>
    /// The place of the item's version in `returning`; nil for a model without versions.
    let versionPosition: Int?

    init(
        kind: Kind, model: Model, table: StoredTable, arguments: ArgumentTemplate, returning: [Int],
        fields: [PlannedField], topic: Topic?, fillsEvents: Bool, redactedFields: Set<String> = [],
        versionPosition: Int? = nil
    ) {
        self.kind = kind
        self.model = model
        self.table = table
        self.arguments = arguments
        self.returning = returning
        self.fields = fields
        self.topic = topic
        self.fillsEvents = fillsEvents
        self.redactedFields = redactedFields
        self.versionPosition = versionPosition
    }
}
