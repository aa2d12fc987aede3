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
    let receivesAll: Bool
    let terms: [Term]
    /// The fields of owners that are shown as the last of several claims: what a subscription asks of them is compared with what
    /// is shown, and the roles with what the event has, which may be all claims.
    var fieldsShowingLastClaim: Set<String> = []
    /// Whether an argument must name the owner, as in version 1; then the arguments alone select the events.
    var requiresOwnerArgument = false

    /// The rules of the events, as alternatives; nil where the subscription is refused.
    /// - Parameters:
    ///   - arguments: What the subscription was given.
    ///   - equalities: What its arguments demand of an event.
    ///   - groups: What its filter demands; nil without a filter.
    func conjunctions(
        _ arguments: ArgumentValues, equalities: [EventRule], groups: [[EventRule]]?
    ) -> [[EventRule]]? {
        let (equalities, groups) = (equalities.map(shown), groups?.map { $0.map(shown) })
        if receivesAll { return groups ?? [equalities] }
        if requiresOwnerArgument {
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
        if names, terms.count == 1, groups == nil {
            // A name that is shown may be another owner's, too; the event of a whole item has all of its owner's claims.
            guard fieldsShowingLastClaim.contains(terms[0].field) else { return [equalities] }
            return Self.alternatives(of: terms[0]).map { equalities + [$0] }
        }
        // Arguments that name the owner are no longer compared; the terms ask for the same or more.
        let others = equalities.filter { rule in
            !terms.contains { $0.argumentValues != nil && rule.path.first == $0.field }
        }
        return terms.flatMap(Self.alternatives).flatMap { rule in
            (groups ?? [[]]).map { others + [rule] + $0 }
        }
    }

    private func shown(_ rule: EventRule) -> EventRule {
        guard rule.path.count == 1, fieldsShowingLastClaim.contains(rule.path[0]) else { return rule }
        var rule = rule
        rule.path.append(EventRule.lastClaim)
        return rule
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
