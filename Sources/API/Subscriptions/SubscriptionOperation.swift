import GraphQL
import JSON

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
