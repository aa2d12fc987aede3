import JSON
import Tables

extension UserPools {
    /// The groups of a user, those that count most first.
    func groups(of user: User) async throws(CognitoError) -> [Group] {
        var groups: [Group] = []
        for membership in try await records.all(Membership.self, of: user.reference) {
            let group = try await records.get(Group.self, user.poolID, membership.group)
            if let group, membership.isOf(user, in: group) { groups.append(group) }
        }
        return groups.sorted { ($0.precedence ?? .max, $0.name) < ($1.precedence ?? .max, $1.name) }
    }

    /// The group of a name, which is made if there is none.
    func makeGroup(_ name: String, in pool: UserPool) async throws(CognitoError) -> Group {
        for _ in 0..<RecordStore.attemptsMax {
            if let group = try await records.get(Group.self, pool.id, name) { return group }
            let group = Group(poolID: pool.id, name: name, created: now)
            if try await records.insert(group) { return group }
        }
        throw .tooManyRequests
    }

    /// Puts a user into a group.
    ///
    /// The user is written with the membership, so that simultaneous calls count each other's groups, and the removal of the user
    /// meets no membership that it does not know.
    func add(_ user: User, to group: Group) async throws(CognitoError) {
        var (currentUser, currentGroup): (User?, Group?) = (user, group)
        for _ in 0..<RecordStore.attemptsMax {
            guard let current = currentUser, current.sub.isExactly(user.sub) else { throw .userDoesNotExist }
            guard let group = currentGroup else { throw .groupNotFound }
            let stored = try await records.all(Membership.self, of: current.reference)
            let known = stored.first { $0.group.isExactly(group.name) }
            if let known, known.isOf(current, in: group) { return }
            if stored.count >= limits.groupsPerUserMax {
                guard try await groups(of: current).count < limits.groupsPerUserMax else { throw .limitExceeded }
            }
            var membership = Membership(current, group)
            if let known { membership.revision = known.revision }
            let write: RecordWrite = known == nil ? .insert(membership) : .replace(membership)
            if try await records.write([.replace(current), .require(group), write]) { return }
            currentUser = try await records.get(User.self, user.poolID, user.usernameKey)
            currentGroup = try await records.get(Group.self, group.poolID, group.name)
        }
        throw .tooManyRequests
    }

    /// Removes a group and its memberships.
    func remove(_ group: Group) async throws(CognitoError) {
        // First, because those of an earlier version would count in the next group of the name if the server stopped in between.
        try await removeMemberships(of: group)
        var current: Group? = group
        for _ in 0..<RecordStore.attemptsMax {
            guard let stored = current, stored.generation == group.generation else { break }
            if try await records.delete(stored) { break }
            current = try await records.get(Group.self, group.poolID, group.name)
        }
        // Those that were made meanwhile. They do not count any more.
        try await removeMemberships(of: group)
    }

    private func removeMemberships(of group: Group) async throws(CognitoError) {
        let reference = Membership.groupReference(poolID: group.poolID, group: group.name)
        for membership in try await records.all(Membership.self, "byGroup", of: reference)
        where membership.sub == nil || membership.generation == group.generation {
            _ = try await records.delete(membership)
        }
    }
}
