import Synchronization

/// The bytes that all connections of a server keep in one direction, and their bound. Used from any thread.
///
/// A connection adds only what it still keeps when its turn on the loop ends, so that a request or an answer that passes
/// through at once costs nothing here.
final class ByteBudget: Sendable {
    /// Which way the bytes go.
    enum Direction: Sendable {
        /// Requests and messages that have not arrived whole.
        case incoming
        /// Answers and messages that the client has not taken.
        case outgoing
    }

    let bytesMax: Int
    private let kept = Atomic(0)
    private let isRelieving = Atomic(false)

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var keptBytes: Int { kept.load(ordering: .relaxed) }

    /// Whether more is kept than the bound allows, with what any thread added before it saw a relief under way: ordered
    /// after `endRelief`, which `isExceeded` is not.
    var isExceededNow: Bool { kept.load(ordering: .sequentiallyConsistent) > bytesMax }

    /// Whether more is kept than the bound allows.
    var isExceeded: Bool { keptBytes > bytesMax }

    /// Bytes that have to go once the bound is exceeded: a sixteenth of the bound more than the excess, so that the next
    /// few bytes do not need connections to be closed again.
    var surplus: Int { keptBytes - (bytesMax - bytesMax / 16) }

    /// Adds bytes, or takes them back.
    /// - Returns: Whether the bound is exceeded by them, so that connections have to be closed.
    func add(_ count: Int) -> Bool {
        kept.add(count, ordering: .sequentiallyConsistent).newValue > bytesMax && count > 0
    }

    /// Begins to close connections; false while another thread does.
    func beginRelief() -> Bool { !isRelieving.exchange(true, ordering: .sequentiallyConsistent) }

    /// What is added from now on begins a relief of its own; what was added before is seen by `isExceededNow` after this
    /// call.
    func endRelief() { isRelieving.store(false, ordering: .sequentiallyConsistent) }
}
