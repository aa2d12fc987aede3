import GraphQL
import JSON

/// Which events a subscription wants: those that meet all rules of at least one conjunction (AppSync: `filterGroup`).
///
/// Two kinds of filters are written in it: the arguments of a subscription, which are one conjunction of equalities
/// (reference: appsync-protocol, "Subscription arguments"), and a filter input, which is brought into this form by
/// `FilterGroups` (reference: appsync-protocol, "Subscription filters").
struct SubscriptionFilter: Sendable, Hashable {
    /// Never empty; an empty conjunction is met by every event.
    var conjunctions: [[EventRule]]
}

extension SubscriptionFilter {
    /// What a subscription's arguments ask for: all equalities, in each group of the filter. Rules narrow it, and nil is
    /// what they refuse.
    init?(
        of plan: SubscriptionPlan, _ variables: VariableValues, strictNullArguments: Bool, operandBytesMax: Int,
        _ decision: Decision
    ) throws(RealtimeError) {
        let values: ArgumentValues
        do { values = try plan.arguments.coerceArgumentValues(variables) } catch { throw RealtimeError(error) }
        let equalities = Self.equalities(of: plan, values, isStrict: strictNullArguments)
        // An object can only be the input that version 2 generates: authors' arguments are leaves.
        var groups: [[EventRule]]?
        if case .object? = values["filter"], let filter = values["filter"] {
            groups = try FilterGroups.groups(of: filter, operandBytesMax: operandBytesMax)
        }
        guard case .event(let decision) = decision else {
            self.init(conjunctions: (groups ?? [[]]).map { equalities + $0 })
            return
        }
        guard let narrowed = decision.conjunctions(values, equalities: equalities, groups: groups) else { return nil }
        self.init(conjunctions: narrowed)
    }

    /// Each argument that is present has to equal the field of its name.
    ///
    /// An argument that is not written asks nothing, and a written null for a field that is null or absent. A variable
    /// without a value makes null of an argument in AppSync's engine, yet the operations that Amplify generates leave
    /// `$owner` and `$filter` unset and receive everything: so it asks nothing, unless nulls are taken strictly. The
    /// argument `filter` is never compared.
    private static func equalities(
        of plan: SubscriptionPlan, _ values: ArgumentValues, isStrict: Bool
    ) -> [EventRule] {
        plan.argumentNames.compactMap { name in
            let isWritten = plan.arguments[name] != nil
            guard name != "filter", let value = values[name] ?? (isStrict && isWritten ? .null : nil),
                let operand = EventValue(value)
            else { return nil }
            return EventRule(path: [name], operation: .eq, operands: [operand])
        }
    }
}

extension SubscriptionFilter {
    /// Bytes of memory that the filter takes with its places in indexes, roughly. The texts of a caller are counted with the
    /// caller.
    var byteCount: Int {
        conjunctions.reduce(256) { sum, rules in
            rules.reduce(sum + 128) { $1.operands.reduce($0 + 64) { $0 + 32 + $1.byteCount } }
        }
    }
}
