import GraphQL
import JSON

/// Which events a subscription wants: those that meet all rules of at least one conjunction (AppSync: `filterGroup`).
///
/// Two kinds of filters are written in it: the arguments of a subscription, which are one conjunction of equalities
/// (appsync-protocol §5.9), and a filter input (§5.10).
struct SubscriptionFilter: Sendable, Hashable {
    /// Never empty; an empty conjunction is met by every event.
    var conjunctions: [[EventRule]]

    static let everything = SubscriptionFilter(conjunctions: [[]])

    func holds(of event: JSONValue) -> Bool {
        conjunctions.contains { $0.allSatisfy { $0.holds(of: event) } }
    }
}

/// One demand on one field of an event.
struct EventRule: Sendable, Hashable {
    /// The names that lead to the field from the event's own fields.
    var path: [String]
    var operation: EventOperator
    var operands: [EventValue]

    func holds(of event: JSONValue) -> Bool { operation.holds(of: event[path], operands) }
}

extension JSONValue {
    /// The member at the end of a path of names; nil where a step leads nowhere.
    subscript(path: [String]) -> JSONValue? {
        var value = self
        for name in path {
            guard let member = value[name] else { return nil }
            value = member
        }
        return value
    }
}

extension SubscriptionFilter {
    /// The filter that the arguments are: each one present has to equal the field of its name.
    ///
    /// An argument that is not written asks nothing, and a written null for a field that is null or absent. A variable
    /// without a value makes null of an argument in AppSync's engine, yet the operations that Amplify generates leave
    /// `$owner` and `$filter` unset and receive everything: so it asks nothing, unless nulls are taken strictly. The
    /// argument `filter` is never compared.
    static func arguments(
        of plan: SubscriptionPlan, _ variables: VariableValues, isStrict: Bool
    ) throws(GraphQLError) -> SubscriptionFilter {
        let values = try plan.arguments.coerceArgumentValues(variables)
        var rules: [EventRule] = []
        for name in plan.argumentNames where name != "filter" {
            let isWritten = plan.arguments[name] != nil
            guard let value = values[name] ?? (isStrict && isWritten ? .null : nil),
                let operand = EventValue(value)
            else { continue }
            rules.append(EventRule(path: [name], operation: .eq, operands: [operand]))
        }
        return SubscriptionFilter(conjunctions: [rules])
    }
}
