import GraphQL

/// One loop's counters, by name and type.
struct LoopOperationCounters {
    let all: OperationCounters
    private var own: [OperationCounters.Key: OperationCounter] = [:]

    init(_ all: OperationCounters) { self.all = all }

    /// The counter of a planned operation; nil for a subscription.
    mutating func counter(for operation: Operation) -> OperationCounter? {
        let type = operation.definition.type
        guard type != .subscription else { return nil }
        let key = OperationCounters.Key(name: operation.name ?? "anonymous", type: type)
        if let counter = own[key] { return counter }
        let (named, counter) = all.makeCounter(for: key) { own[$0] }
        own[named] = counter
        return counter
    }
}
