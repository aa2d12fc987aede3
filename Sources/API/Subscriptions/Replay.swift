/// What a subscription that has come back missed, and what has come meanwhile.
///
/// It is a member of its group from the beginning: what comes now is completed once for all of them. Only what it missed
/// is its own, and is told before. An object, because a reload takes members to other groups while a worker completes
/// for the one they were in. On its loop only.
final class Replay {
    /// In the order of their numbers, each before all that waits.
    private var missed: ArraySlice<PublishedEvent>
    private var waiting: [EventMessage] = []
    private(set) var isOver = false

    init(_ missed: [PublishedEvent]) { self.missed = missed[...] }

    /// The event that is to be told next.
    func next() -> PublishedEvent? { missed.popFirst() }

    /// Keeps a message of the group until all that was missed is told; false when it would be one too many.
    func keep(_ message: EventMessage, countMax: Int) -> Bool {
        guard waiting.count < countMax else { return false }
        waiting.append(message)
        return true
    }

    /// All that was missed is told. From now on messages need not wait.
    /// - Returns: Those that have waited.
    func finish() -> [EventMessage] {
        defer { (isOver, missed, waiting) = (true, [], []) }
        return waiting
    }
}
