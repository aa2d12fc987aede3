import GraphQL
import Synchronization

/// What logs and counters know of a planned operation. Made with the plan, once.
public final class OperationRecord: Sendable {
    /// The operation's name, if it has one.
    public let name: String?
    /// `query`, `mutation` or `subscription`.
    public let type: String
    /// The names of the root fields; no more than `rootFieldCountMax`.
    public let rootFields: [String]
    private let counter: OperationCounter?
    private let notedUses = Atomic(0)

    /// How many requests whose work was noted have used the plan so far.
    public var notedUseCount: Int { notedUses.load(ordering: .relaxed) }

    /// Makes the record of a plan; nil for a plan that is not counted.
    typealias Make = (Operation, [PlannedField]) -> OperationRecord?

    private static let rootFieldCountMax = 8

    init(_ operation: Operation, _ roots: [PlannedField], _ counter: OperationCounter?) {
        name = operation.name
        type = operation.definition.type.rawValue
        rootFields = roots.prefix(Self.rootFieldCountMax).map(\.fieldName)
        self.counter = counter
    }

    /// Counts a request whose work is noted.
    func noteUse() { notedUses.add(1, ordering: .relaxed) }

    /// Counts an answer, on the loop that gives it.
    public func answered(nanoseconds: Int64, isFailure: Bool) {
        counter?.answered(nanoseconds: nanoseconds, isFailure: isFailure)
    }
}
