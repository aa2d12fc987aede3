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
    /// The fields of the selection that rules decide upon.
    let ruledFields: [PlannedField]

    init(
        topics: [Topic], arguments: ArgumentTemplate, argumentNames: [String], function: FieldFunction?,
        shape: JSONShape, row: RowPlan?, ruledFields: [PlannedField]
    ) {
        self.topics = topics
        self.arguments = arguments
        self.argumentNames = argumentNames
        self.function = function
        self.shape = shape
        self.row = row
        self.ruledFields = ruledFields
    }
}

/// What the rules of a selection grant an identity. Subscribers with equal outcomes see an event alike.
struct RuleOutcome: Sendable, Hashable {
    private var allowed: [Bool] = []
    /// Kept where a condition was granted: it may be another one for everybody.
    private var identity: Identity?

    init(_ plan: SubscriptionPlan, for identity: Identity) {
        for field in plan.ruledFields {
            switch Authorization.decide(field.rules, for: identity) {
            case .allow: allowed.append(true)
            case .deny: allowed.append(false)
            case .narrow:
                allowed.append(false)
                self.identity = identity
            }
        }
    }
}

/// A subscription operation with its variables: all that decides which events it receives and what they contain.
struct SubscriptionOperation: Sendable {
    let api: GraphQLAPI
    let field: PlannedField
    let subscription: SubscriptionPlan
    /// The variables as they came, for the API that a reload brings.
    let given: JSONObject?
    let variables: VariableValues
    let filter: SubscriptionFilter
    let outcome: RuleOutcome
    /// Declared last: it is freed after the parts that it owns.
    let plan: Plan

    /// Subscriptions with one key receive the same events with the same selection.
    struct Key: Hashable {
        let plan: ObjectIdentifier
        let variables: VariableValues
        let filter: SubscriptionFilter
        let outcome: RuleOutcome
    }

    var key: Key { Key(plan: ObjectIdentifier(plan), variables: variables, filter: filter, outcome: outcome) }
}
