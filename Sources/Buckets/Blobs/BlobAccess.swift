import Synchronization

/// Whether the readers of a blob may go on. All readers of a blob have the same one.
final class BlobAccess: Sendable {
    private let state = Atomic(false)

    /// Whether the readers have to end, so that the disk gets back the bytes of a removed blob.
    var isRevoked: Bool { state.load(ordering: .relaxed) }

    func revoke() { state.store(true, ordering: .relaxed) }
}
