internal import Synchronization

/// How many commits the store has announced: by it a reader finds out that its snapshot is old.
///
/// Raised after COMMIT and before any completion is handed out, so a caller that has received its result finds the commit
/// counted.
final class CommitCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }

    func raise() {
        count.add(1, ordering: .releasing)
    }
}
