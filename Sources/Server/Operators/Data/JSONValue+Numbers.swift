import JSON

extension JSONValue {
    /// Whether both are the same, numbers by their value: a browser writes the stored `2.0` as `2`.
    ///
    /// Two whole numbers as they are written are compared exactly, all others as doubles.
    func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number, .number):
            if let whole = intValue, let otherWhole = other.intValue { return whole == otherWhole }
            guard let double = doubleValue, let otherDouble = other.doubleValue else { return self == other }
            return double == otherDouble
        case (.array(let elements), .array(let others)):
            return elements.count == others.count && zip(elements, others).allSatisfy { $0.isSame(as: $1) }
        case (.object(let members), .object(let others)):
            return members.keys == others.keys
                && members.allSatisfy { key, value in others[key].map { value.isSame(as: $0) } ?? false }
        default: return self == other
        }
    }
}
