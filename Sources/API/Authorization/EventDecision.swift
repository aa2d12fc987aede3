import GraphQL
import JSON

/// Which events a subscription receives under rules (reference: authorization, "Subscriptions").
struct EventDecision: Sendable, Hashable {
    /// A role about a field of the event, and the argument of the same name.
    struct Term: Sendable, Hashable {
        var field: String
        var isList: Bool
        /// The values that an event may have there.
        var values: [EventValue]
        /// The values that the argument may have; nil of a role that has no argument.
        var argumentValues: [EventValue]?
    }

    /// Whether the identity receives every event; then there are no terms.
    let isPassed: Bool
    let terms: [Term]
    /// Whether an argument must name the owner, as in version 1; then the arguments alone select the events.
    var asksArguments = false

    /// The rules of the events, as alternatives; nil where the subscription is refused.
    /// - Parameters:
    ///   - arguments: What the subscription was given.
    ///   - equalities: What its arguments demand of an event.
    ///   - groups: What its filter demands; nil without a filter.
    func conjunctions(
        _ arguments: ArgumentValues, equalities: [EventRule], groups: [[EventRule]]?
    ) -> [[EventRule]]? {
        if isPassed { return groups ?? [equalities] }
        if asksArguments {
            let names = terms.contains { term in
                arguments[term.field].flatMap(EventValue.init).map(term.values.contains) ?? false
            }
            return names ? groups ?? [equalities] : nil
        }
        var names = false
        for term in terms {
            guard let allowed = term.argumentValues, let given = arguments[term.field].flatMap(Self.given) else {
                continue
            }
            if EventValue(given).map(allowed.contains) == true {
                names = true
            } else if !names {
                return nil
            }
        }
        guard !terms.isEmpty else { return nil }
        if names, terms.count == 1, groups == nil { return [equalities] }
        // Arguments that name the owner are no longer compared; the terms ask for the same or more.
        let others = equalities.filter { rule in !terms.contains { $0.argumentValues != nil && rule.path == [$0.field] }
        }
        return terms.flatMap(Self.alternatives).flatMap { rule in
            (groups ?? [[]]).map { others + [rule] + $0 }
        }
    }

    /// An argument that is neither null nor an empty text.
    private static func given(_ value: CoercedValue) -> CoercedValue? {
        value.isNull || value == .string("") ? nil : value
    }

    /// Equalities where that is possible: groups are found by them.
    private static func alternatives(of term: Term) -> [EventRule] {
        term.isList
            ? [EventRule(path: [term.field], operation: .containsAny, operands: term.values)]
            : term.values.map { EventRule(path: [term.field], operation: .eq, operands: [$0]) }
    }
}
