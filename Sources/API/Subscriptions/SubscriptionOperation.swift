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
    /// What the rules decide of the selection; nil where it asks them nothing.
    let decisions: DecisionTable?
    /// Who subscribes, where the selection depends on more of it than the decisions.
    let passedIdentity: Identity?
    /// Declared last: it is freed after the parts that it owns.
    let plan: Plan

    /// Subscriptions with one key receive the same events with the same selection.
    struct Key: Hashable {
        let plan: ObjectIdentifier
        let variables: VariableValues
        let filter: SubscriptionFilter
        let decisions: DecisionTable?
        let passedIdentity: Identity?
    }

    var key: Key {
        Key(
            plan: ObjectIdentifier(plan), variables: variables, filter: filter, decisions: decisions,
            passedIdentity: passedIdentity)
    }
}
