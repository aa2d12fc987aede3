import JSON
import Tables

/// One demand on one field of an event.
struct EventRule: Sendable, Hashable {
    /// The names that lead to the field from the event's own fields; at the end `lastClaim`, if an owner is compared as it is
    /// shown.
    var path: [String]
    var operation: EventOperator
    var operands: [EventValue] = []
    /// The operands of `in` and `containsAny` if they are the texts of a caller, which all rules of the caller share.
    var texts: TextSet?

    /// In a path: what is shown of the owner there (reference: authorization, "Owners"). No field has this name.
    static let lastClaim = "::"
}

extension JSONValue {
    /// The member at the end of a path of names; nil where a step leads nowhere.
    subscript(path: [String]) -> JSONValue? {
        var value = self
        for name in path {
            if name == EventRule.lastClaim {
                value = value.shownOwner
                continue
            }
            guard let member = value[name] else { return nil }
            value = member
        }
        return value
    }

    /// An owner, or a list of owners, as it is shown. What is shown already stays as it is.
    private var shownOwner: JSONValue {
        switch self {
        case .string(let owner): .string(Leaf.shownOwner(owner))
        case .array(let owners): .array(owners.map(\.shownOwner))
        default: self
        }
    }
}

extension TextSet {
    func contains(_ value: EventValue) -> Bool {
        if case .text(let text) = value { contains(text.text) } else { false }
    }
}
