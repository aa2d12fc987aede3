/// When a field is part of the response: always, or when one of its places counts.
public struct Inclusion: Sendable, Hashable {
    /// One conjunction for each place; none of them contains another.
    public private(set) var alternatives: [[Condition]]

    /// Whatever the variables.
    public static let always = Inclusion(alternatives: [[]])

    /// Whether no variable is asked.
    public var isAlways: Bool { alternatives.count == 1 && alternatives[0].isEmpty }

    /// Whether the field is part of the response to these variables.
    public func holds(_ variables: VariableValues) -> Bool {
        alternatives.contains { $0.allSatisfy { $0.holds(variables) } }
    }

    /// About how many bytes of memory the conditions take; none where there are none.
    public var byteCount: Int {
        guard !isAlways else { return 0 }
        return alternatives.reduce(32) { $0 + 40 + $1.count * MemoryLayout<Condition>.stride }
    }

    init(alternatives: [[Condition]]) { self.alternatives = alternatives }

    mutating func formUnion(_ conditions: [Condition]) {
        if alternatives.contains(where: { $0.allSatisfy(conditions.contains) }) { return }
        alternatives.removeAll { conditions.allSatisfy($0.contains) }
        alternatives.append(conditions)
    }
}
