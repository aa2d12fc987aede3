import GraphQL
import Synchronization

/// An operation read once: its fields collected, merged and bound to fetches, writes and ready bytes.
///
/// It depends on the document and the operation's name alone, never on variables or caller, so it is cached by them
/// and shared by every request and thread.
final class Plan: Sendable {
    /// A number that no other plan of this process has, from 1.
    let number = numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic<Int>(0)
    /// The number of the newest plan.
    static var lastNumber: Int { numbers.load(ordering: .relaxed) }

    let operation: Operation
    let roots: [PlannedField]
    /// What logs and counters know of it; nil of a plan that no loop made.
    let record: OperationRecord?
    /// What is asked of the rules by the fields, each once; empty where they have none.
    let subjects: [DecisionSubject]
    /// Whether selections or values nest so deep that what walks them needs a `LargeStack`.
    let isDeep: Bool
    /// Whether fields wait for pipelines, so that the operation is gathered.
    let hasPipelines: Bool
    /// About how many bytes of memory the plan takes, all its parts included.
    let byteCount: Int
    private let budget: PlanBudget
    /// Groups of subscriptions that keep the plan.
    private let followerCount = Atomic(0)
    /// Of a deep plan all fields, each before the fields of its selection. The list is freed last and from its beginning,
    /// so that freeing a field never frees the fields below it: a plan of any depth is freed on any stack.
    private let allFields: [PlannedField]

    /// Levels that any thread's stack holds, whatever is on it already; introspection queries of tools have about 20.
    static let shallowLevelsMax = 24

    /// Levels of JSON in an answer, for those who read it again. An operation has at most 500 levels
    /// (`operationDepthMax`), and each can be an object and the lists around it.
    static let answerLevelsMax = 1_024

    /// A plan whose bytes are reserved in the budget; they are released with it.
    init(
        operation: Operation, roots: [PlannedField], subjects: [DecisionSubject], record: OperationRecord?,
        isDeep: Bool, hasPipelines: Bool,
        allFields: [PlannedField], byteCount: Int, budget: PlanBudget
    ) {
        self.operation = operation
        self.allFields = allFields
        self.roots = roots
        self.subjects = subjects
        self.record = record
        self.isDeep = isDeep
        self.hasPipelines = hasPipelines
        self.byteCount = byteCount
        self.budget = budget
    }

    deinit { budget.release(byteCount) }

    /// Whether a subscription keeps it.
    var isFollowed: Bool { followerCount.load(ordering: .relaxed) > 0 }

    /// Whether a subscription may keep it: another one does already, or the budget has room.
    var mayBeFollowed: Bool {
        isFollowed || budget.subscriptionBytesNow + byteCount <= budget.subscriptionBytesMax
    }

    /// A group of subscriptions keeps the plan from now on.
    func follow() {
        if followerCount.add(1, ordering: .relaxed).newValue == 1 { budget.follow(byteCount) }
    }

    /// A group of subscriptions has ended.
    func unfollow() {
        if followerCount.subtract(1, ordering: .relaxed).newValue == 0 { budget.unfollow(byteCount) }
    }
}
