import Synchronization
import Tables

extension UserPools {
    /// Deletes expired sessions and authorization codes, users who never confirmed their sign-up, and unused guests. The first
    /// call also counts the users of each pool. Called once a minute.
    public func removeEnded() async throws(CognitoError) {
        let now = now
        decoyCodes.removeExpired(now: now)
        // Access tokens live for a day at most, and are looked up by their session.
        try await remove(Session.self) { $0.expires < now - 86_400_000 }
        // A second use of a code ends the session that the first one began.
        try await remove(AuthorizationCode.self) { $0.expires < now - 3_600_000 }
        let oldest = now - Int64(limits.unconfirmedUserDays) * 86_400_000
        for pool in directory.pools {
            let prefix = "\(User.Status.unconfirmed.rawValue)#"
            let users = try await records.query(
                User.self, "byStatus", of: pool.id, beginningWith: prefix, limit: Self.removedMax
            ).records
            for user in users where user.created < oldest {
                // Who confirms the sign-up meanwhile stays.
                try await remove(user, in: pool) { $0.status == .unconfirmed }
            }
            _ = try await userCount(of: pool)
        }
        try await removeUnusedGuests()
    }

    /// Deletes guests who got neither credentials nor a token for a long time. Each call examines some identities of each pool,
    /// beginning after those of the previous call.
    private func removeUnusedGuests() async throws(CognitoError) {
        guard limits.unusedGuestDays > 0 else { return }
        let now = now
        let oldest = now - Int64(limits.unusedGuestDays) * 86_400_000
        for pool in directory.identityPools {
            let position = guestPositions.withLock { $0[pool.id] }
            let page = try await records.query(
                Identity.self, "byPool", of: pool.id, after: position, limit: Self.removedMax)
            for guest in page.records where guest.logins.isEmpty {
                if let used = guest.used {
                    if used < oldest { _ = try await records.delete(guest) }
                } else {
                    // A guest of an earlier version may be in use: its days begin now.
                    _ = try await records.update(Identity.self, guest.id) { $0.used = $0.used ?? now }
                }
            }
            guestPositions.withLock { $0[pool.id] = page.next }
        }
    }

    /// Deletes the expired records of a kind, the oldest first.
    private func remove<Kind: Record>(_: Kind.Type, where hasEnded: (Kind) -> Bool) async throws(CognitoError) {
        for _ in 0..<Self.roundsMax {
            let oldest = try await records.query(Kind.self, "byExpiry", of: "all", limit: Self.removedMax).records
            let ended = oldest.filter(hasEnded)
            for record in ended { _ = try await records.delete(record) }
            if ended.count < Self.removedMax { return }
        }
    }

    /// Records that are read at a time.
    private static let removedMax = 500
    /// Maximum number of reads per kind and call.
    private static let roundsMax = 40
}
