extension UserPools {
    /// Removes what has ended: sessions and authorization codes whose time is over, users who never confirmed their sign-up.
    /// Counts the users of pools at the first call. To be called from time to time.
    public func removeEnded() async throws(CognitoError) {
        let now = now
        // Access tokens live for a day at most, and are looked up by their session.
        for session in try await records.query(Session.self, "byExpiry", of: "all", limit: Self.removedMax).records
        where session.expires < now - 86_400_000 {
            _ = try await records.delete(session)
        }
        for code in try await records.query(AuthorizationCode.self, "byExpiry", of: "all", limit: Self.removedMax)
            .records
        where code.expires < now - 3_600_000 {
            _ = try await records.delete(code)
        }
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

    /// Records of a kind that are looked at in one go.
    private static let removedMax = 500
}
