internal import Synchronization

/// How many commits the store has announced: what tells a reader that its snapshot is old.
///
/// Raised after COMMIT and before any completion is handed out, so whoever knows of a commit finds it counted.
final class CommitCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }

    func raise() {
        count.add(1, ordering: .releasing)
    }
}
