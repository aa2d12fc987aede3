internal import Synchronization

/// Lets the plans that were made for a stored table write to it, until a migration revokes it. Revoked and asked on the
/// writer's thread alone, so that no write comes between a migration and what it revokes.
final class WritePermit: Sendable {
    private let revoked = Atomic(false)

    var isRevoked: Bool { revoked.load(ordering: .relaxed) }

    func revoke() { revoked.store(true, ordering: .relaxed) }
}
