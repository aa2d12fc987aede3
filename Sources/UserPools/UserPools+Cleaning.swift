extension UserPools {
    /// Removes what has ended: sessions and authorization codes whose time is over, users who never confirmed their sign-up.
    /// Counts the users of pools at the first call. To be called from time to time.
    public func removeEnded() async throws(CognitoError) {
        let now = now
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
            for user in users where user.created < oldest { try await remove(user, in: pool) }
            _ = try await userCount(of: pool)
        }
    }

    /// Removes the records of a kind that have ended, those that ended first before the others.
    private func remove<Kind: Record>(_: Kind.Type, where hasEnded: (Kind) -> Bool) async throws(CognitoError) {
        for _ in 0..<Self.roundsMax {
            let oldest = try await records.query(Kind.self, "byExpiry", of: "all", limit: Self.removedMax).records
            let ended = oldest.filter(hasEnded)
            for record in ended { _ = try await records.delete(record) }
            if ended.count < Self.removedMax { return }
        }
    }

    /// Records of a kind that are looked at in one go.
    private static let removedMax = 500
    /// How often more of a kind are looked at in one call.
    private static let roundsMax = 40
}
