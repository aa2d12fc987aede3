import JSON
import Tables

extension UserPools {
    /// Finds a user by user name, alias or `sub`.
    ///
    /// All three are always looked up, and one row is always decoded to a user. Otherwise the response time would show whether
    /// the name has a user.
    func findUser(_ name: String, in pool: UserPool) async throws(CognitoError) -> User? {
        guard !name.isEmpty, name.utf8.count <= 2_048 else { return nil }
        var named: User?
        for key in pool.usernameKeys(name) {
            let user = try await records.get(User.self, pool.id, key)
            if named == nil { named = user }
        }
        var aliases: [Alias] = []
        for attribute in pool.signInAttributes { aliases += try await storedAliases(attribute, name, pool) }
        // No user has an empty name.
        let target = named == nil ? aliases.first?.target ?? "" : ""
        let aliased = pool.signInAttributes.isEmpty ? nil : try await records.get(User.self, pool.id, target)
        let owner = try await user(sub: name, in: pool)
        guard let found = named ?? aliased ?? owner else {
            _ = User(Self.nobodyRow, revision: 0)
            return nil
        }
        // In another letter case, a user name may be the sub of another user exactly.
        let isNamedExactly = found.username.isExactly(name) || found.sub.isExactly(name)
        return named == nil || isNamedExactly ? found : owner ?? found
    }

    /// The row of a user as most are, with a mail address and a password.
    private static let nobodyRow: [Value] = {
        var user = User(
            poolID: "us-east-1_Ab3dE6gHi", usernameKey: "nobody", username: "nobody",
            sub: "00000000-0000-4000-8000-000000000000", status: .confirmed, created: 1_800_000_000_000)
        user.attributes = [
            Attribute(name: "email", value: "nobody@example.com"), Attribute(name: "email_verified", value: "true"),
        ]
        // As long as a sealed verifier.
        user.password = String(repeating: "x", count: 590)
        return user.row
    }()

    /// The user of a user name. Two that an earlier version made of canonically equivalent names are found by their own.
    func user(named name: String, in pool: UserPool) async throws(CognitoError) -> User? {
        for key in pool.usernameKeys(name) {
            if let user = try await records.get(User.self, pool.id, key) { return user }
        }
        return nil
    }

    private func user(sub: String, in pool: UserPool) async throws(CognitoError) -> User? {
        try await records.query(User.self, "bySub", of: pool.id, equalTo: sub, limit: 1).records.first
    }

    /// Whether a user name, in the letter case that is given or as names are compared, is the sub of a user.
    func isSub(_ username: String, in pool: UserPool) async throws(CognitoError) -> Bool {
        for name in Self.subs(username, pool) where try await user(sub: name, in: pool) != nil { return true }
        return false
    }

    /// The subs that a name must not be: as it is given, and as names are compared.
    private static func subs(_ name: String, _ pool: UserPool) -> [String] {
        CanonicalForm.distinct([name] + CanonicalForm.keys(of: name, ignoresCase: false) + pool.usernameKeys(name))
    }

    /// Whether a user is found by this name, or would be found by it in another letter case.
    func isTaken(_ username: String, in pool: UserPool) async throws(CognitoError) -> Bool {
        if try await findUser(username, in: pool) != nil { return true }
        return try await isSub(username, in: pool)
    }

    /// The alias of an attribute's value.
    static func alias(_ attribute: String, _ value: String, _ pool: UserPool) -> String {
        "\(attribute):\(CanonicalForm.key(of: value, ignoresCase: ignoresCase(attribute, pool)))"
    }

    private static func ignoresCase(_ attribute: String, _ pool: UserPool) -> Bool {
        attribute == "email" || !pool.isUsernameCaseSensitive
    }

    /// The stored aliases of an attribute's value: one, unless an earlier version stored canonically equivalent values.
    func storedAliases(
        _ attribute: String, _ value: String, _ pool: UserPool
    ) async throws(CognitoError) -> [Alias] {
        var aliases: [Alias] = []
        for key in CanonicalForm.keys(of: value, ignoresCase: Self.ignoresCase(attribute, pool)) {
            if let alias = try await records.get(Alias.self, pool.id, "\(attribute):\(key)") { aliases.append(alias) }
        }
        return aliases
    }

    /// The alias that a user has by an attribute, if the pool finds users by it: in a pool where people sign in with the
    /// attribute from the sign-up on, in others once it is verified (reference: auth, "Objects").
    func alias(of user: User, _ attribute: String, _ pool: UserPool) -> Alias? {
        // Who comes by a provider has no password to sign in with.
        guard user.status != .externalProvider else { return nil }
        guard pool.signInAttributes.contains(attribute), let value = user[attribute], !value.isEmpty else { return nil }
        let isVerified = attribute == "preferred_username" || user.isVerified(attribute)
        guard !pool.usernameAttributes.isEmpty || (isVerified && user.status != .unconfirmed) else { return nil }
        return Alias(poolID: pool.id, alias: Self.alias(attribute, value, pool), target: user.usernameKey)
    }

    /// All aliases that a user has.
    func aliases(of user: User, _ pool: UserPool) -> [Alias] {
        pool.signInAttributes.compactMap { alias(of: user, $0, pool) }
    }

    /// Writes a changed user, and its aliases as they have changed with it.
    ///
    /// - Parameters:
    ///   - old: The user as it was read.
    ///   - proven: Attributes whose alias becomes this user's if it is another one's (`ForceAliasCreation`): those whose
    ///     address this user was proven to have.
    /// - Returns: False if the user has changed meanwhile.
    func write(
        _ user: User, over old: User, in pool: UserPool, takingOver proven: Set<String> = []
    ) async throws(CognitoError) -> Bool {
        try checkAttributeBytes(of: user, besides: old)
        let (before, after) = (aliases(of: old, pool), aliases(of: user, pool))
        let names = reservedNames(of: after, besides: before, user, pool)
        guard reservations.take(names) else { return false }
        defer { reservations.release(names) }
        var writes: [RecordWrite] = []
        for alias in before where !after.contains(where: { $0.isSame(as: alias) }) {
            writes += try await ownAliases(of: old, alias.attribute, pool).map { .delete($0) }
        }
        writes += try await aliasWrites(of: user, besides: before, takingOver: proven, in: pool)
        var user = user
        user.modified = now
        return try await records.write(writes + [.replace(user)])
    }

    /// The writes that give a user the aliases of its attributes. A user that loses one by it has the address unverified.
    ///
    /// - Parameter before: The aliases of the user so far. They are no reason to refuse a change, also where another user
    ///   has taken one over.
    private func aliasWrites(
        of user: User, besides before: [Alias], takingOver proven: Set<String>, in pool: UserPool
    ) async throws(CognitoError) -> [RecordWrite] {
        var writes: [RecordWrite] = []
        var owners: [ExactText: User] = [:]
        for alias in aliases(of: user, pool) {
            let attribute = alias.attribute
            let known = try await storedAliases(attribute, user[attribute] ?? "", pool)
            if known.contains(where: { $0.target.isExactly(user.usernameKey) }) { continue }
            let isNew = !before.contains { $0.isSame(as: alias) }
            guard let stored = known.first else {
                do throws(CognitoError) {
                    try await refuseUsername(as: alias, of: user, in: pool)
                } catch {
                    if isNew { throw error }
                    continue
                }
                writes.append(.insert(alias))
                continue
            }
            guard isNew else { continue }
            var owner = owners[ExactText(stored.target)]
            if owner == nil { owner = try await records.get(User.self, pool.id, stored.target) }
            if var owner {
                // Nobody proves to have a preferred user name.
                guard attribute != "preferred_username", proven.contains(attribute) else {
                    throw .aliasExists(attribute)
                }
                (owner["\(attribute)_verified"], owner.modified) = ("false", now)
                owners[ExactText(stored.target)] = owner
            }
            var taken = stored
            taken.target = user.usernameKey
            writes.append(.replace(taken))
        }
        return writes + owners.values.map { .replace($0) }
    }

    /// The user names that no new user may have while these aliases are written: a preferred user name among the new ones.
    private func reservedNames(
        of aliases: [Alias], besides before: [Alias], _ user: User, _ pool: UserPool
    ) -> [String] {
        aliases.filter { alias in
            alias.attribute == "preferred_username" && !before.contains(where: { $0.isSame(as: alias) })
        }.map { alias in
            User.reference(poolID: pool.id, usernameKey: pool.usernameKey(user[alias.attribute] ?? ""))
        }
    }

    /// The stored aliases of a user's attribute that find this user.
    func ownAliases(
        of user: User, _ attribute: String, _ pool: UserPool
    ) async throws(CognitoError) -> [Alias] {
        try await storedAliases(attribute, user[attribute] ?? "", pool).filter {
            $0.target.isExactly(user.usernameKey)
        }
    }

    /// Throws if a preferred user name is the user name or the `sub` of another user, or an address by which users of the pool
    /// are found.
    private func refuseUsername(as alias: Alias, of user: User, in pool: UserPool) async throws(CognitoError) {
        guard alias.attribute == "preferred_username", let name = user["preferred_username"] else { return }
        for (attribute, isAddress) in [
            ("email", EmailAddress.isValid(name)), ("phone_number", PhoneNumber.isValid(name)),
        ] where isAddress && pool.signInAttributes.contains(attribute) {
            throw .invalidParameter(
                "A preferred_username cannot be an address, because the pool has the alias \(attribute).")
        }
        let other = try await self.user(named: name, in: pool)
        if let other, !other.usernameKey.isExactly(user.usernameKey) { throw .aliasExists("preferred_username") }
        for sub in Self.subs(name, pool) where !sub.isExactly(user.sub) {
            if try await self.user(sub: sub, in: pool) != nil { throw .aliasExists("preferred_username") }
        }
    }

    /// Updates a user, and retries after a concurrent change. Throws if the user was deleted, also if the name is taken again.
    func update(
        _ user: User, in pool: UserPool, takingOver proven: Set<String> = [],
        change: (inout User) throws(CognitoError) -> Void
    ) async throws(CognitoError) -> User {
        var current: User? = user
        for _ in 0..<RecordStore.attemptsMax {
            guard let old = current, old.sub.isExactly(user.sub) else { throw .userDoesNotExist }
            var changed = old
            try change(&changed)
            if try await write(changed, over: old, in: pool, takingOver: proven) {
                changed.revision += 1
                return changed
            }
            current = try await records.get(User.self, pool.id, old.usernameKey)
        }
        throw .tooManyRequests
    }

    /// Makes a user with its aliases.
    ///
    /// - Parameter isSubGiven: Whether the `sub` came with the request, so that another user may have it.
    /// - Returns: False if the user name is taken; an alias that is throws.
    func insert(
        _ user: User, in pool: UserPool, takingOver proven: Set<String> = [], isSubGiven: Bool = false
    ) async throws(CognitoError) -> Bool {
        try checkAttributeBytes(of: user, besides: nil)
        let names =
            [user.reference, User.reference(poolID: pool.id, usernameKey: pool.usernameKey(user.sub))]
            + reservedNames(of: aliases(of: user, pool), besides: [], user, pool)
        guard reservations.take(names) else { return false }
        defer { reservations.release(names) }
        if pool.usernameAttributes.isEmpty {
            if try await isTaken(user.username, in: pool) { return false }
        } else if try await self.user(named: user.username, in: pool) != nil {
            return false
        }
        if isSubGiven, try await isTaken(user.sub, in: pool) {
            throw .invalidParameter("Another user of the pool has the sub or name \(user.sub).")
        }
        try checkRoom(in: pool)
        let writes = try await aliasWrites(of: user, besides: [], takingOver: proven, in: pool)
        guard try await records.write([.insert(user)] + writes) else { return false }
        userCounts.note(1, in: pool.id)
        return true
    }

    /// Deletes a user with its aliases, memberships, sessions, codes and devices; not the next user of the same name.
    ///
    /// - Parameter isUnwanted: Whether the user is still to be deleted after a concurrent change.
    func remove(
        _ unwanted: User, in pool: UserPool, where isUnwanted: (User) -> Bool = { _ in true }
    ) async throws(CognitoError) {
        var current: User? = unwanted
        for _ in 0..<RecordStore.attemptsMax {
            guard let user = current, user.sub.isExactly(unwanted.sub), isUnwanted(user) else { return }
            var writes: [RecordWrite] = []
            for alias in aliases(of: user, pool) {
                writes += try await ownAliases(of: user, alias.attribute, pool).map { .delete($0) }
            }
            for alias in identityAliases(of: user, pool) {
                if let stored = try await records.get(Alias.self, pool.id, alias.alias),
                    stored.target.isExactly(user.usernameKey)
                {
                    writes.append(.delete(stored))
                }
            }
            writes += try await records.all(Membership.self, of: user.reference).map { .delete($0) }
            writes += try await records.all(Session.self, "byUser", of: user.reference).map { .delete($0) }
            writes += try await records.all(Code.self, of: user.reference).map { .delete($0) }
            writes += try await records.all(Device.self, of: user.reference).map { .delete($0) }
            if try await records.write(writes + [.delete(user)]) {
                userCounts.note(-1, in: pool.id)
                services.endSessions(.user(user.sub))
                return
            }
            current = try await records.get(User.self, pool.id, user.usernameKey)
        }
        throw .tooManyRequests
    }
}
