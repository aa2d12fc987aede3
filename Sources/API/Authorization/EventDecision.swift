import GraphQL
import JSON
import Tables

/// The events that the rules allow a subscription to receive (reference: authorization, "Subscriptions").
struct EventDecision: Sendable, Hashable {
    /// A role that compares a field of the event, and the argument of the same name.
    struct Term: Sendable, Hashable {
        var field: String
        var isList: Bool
        /// The values that the event's field may have.
        var values: TextSet
        /// The values that the argument may have; nil for a role without an argument.
        var argumentValues: TextSet?
    }

    /// Whether the identity receives every event; then there are no terms.
    let receivesAll: Bool
    let terms: [Term]
    /// The owner fields that are shown as the last of several claims. Arguments and filters are compared with the shown value,
    /// roles with the value in the event, which may have all claims.
    var fieldsShowingLastClaim: Set<String> = []
    /// Whether an argument must name the owner, as in version 1; then the arguments alone select the events.
    var requiresOwnerArgument = false

    /// The conditions on events, as alternatives; nil if the subscription is refused.
    /// - Parameters:
    ///   - arguments: The arguments of the subscription.
    ///   - equalities: The conditions of its arguments on an event.
    ///   - groups: The conditions of its filter; nil without a filter.
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
            // Another owner may have the same shown name; the event of a whole item has all claims of its owner.
            guard fieldsShowingLastClaim.contains(terms[0].field) else { return [equalities] }
            return Self.alternatives(of: terms[0]).map { equalities + [$0] }
        }
        // Arguments that name the owner are not compared again; the terms imply them.
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

    /// The value of an argument that is neither null nor an empty text.
    private static func given(_ value: CoercedValue) -> CoercedValue? {
        value.isNull || value == .string("") ? nil : value
    }

    /// The names of an owner as equalities, which subscriptions with the same owner have in common. A caller may have
    /// thousands of groups, so they are one rule, which shares them with all rules of the caller.
    private static func alternatives(of term: Term) -> [EventRule] {
        guard !term.isList, term.values.texts.count <= equalitiesMax else {
            return [EventRule(path: [term.field], operation: term.isList ? .containsAny : .in, texts: term.values)]
        }
        return term.values.texts.map {
            EventRule(path: [term.field], operation: .eq, operands: [.text(ExactText($0))])
        }
    }

    /// A role with at most this many values gets an alternative for each: the stored and the shown name of an owner. A filter may
    /// have `FilterGroups.groupCountMax` alternatives in addition.
    static let equalitiesMax = 2
}
