import JSON

/// One demand on one field of an event.
struct EventRule: Sendable, Hashable {
    /// The names that lead to the field from the event's own fields.
    var path: [String]
    var operation: EventOperator
    var operands: [EventValue]
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
