import JSON
import Tables

/// Earlier versions stored user names and aliases in the form in which they were given. They are stored anew in Normalization
/// Form C, so that every form of a name finds them and no second user has such a name.
extension UserPools {
    /// Stores the names of a pool in Normalization Form C, once: a page of records at a time, each record with all that refers
    /// to it in one transaction. What an interrupted start left is done by the next one.
    ///
    /// Two users whose names are equivalent keep their keys; each is found by the form that was given at the sign-up.
    func composeNames(in pool: UserPool) async throws(CognitoError) {
        guard let stored = try await records.get(StoredPool.self, pool.id), !stored.hasComposedNames else { return }
        // Users first: their aliases refer to them.
        let users = try await forEach(User.self, of: pool.id) { user throws(CognitoError) in
            try await self.composeName(of: user, in: pool)
        }
        let aliases = try await forEach(Alias.self, of: pool.id) { alias throws(CognitoError) in
            try await self.compose(alias)
        }
        // What was changed meanwhile is left to the next start.
        guard users, aliases else { return }
        _ = try await records.update(StoredPool.self, pool.id) { $0.hasComposedNames = true }
    }

    /// Records that are read at a time.
    private static let pageSize = 500

    /// Whether the work succeeded for every record of a pool.
    private func forEach<Kind: Record>(
        _: Kind.Type, of poolID: String, _ body: (Kind) async throws(CognitoError) -> Bool
    ) async throws(CognitoError) -> Bool {
        var succeeded = true
        var next: Position?
        repeat {
            // A record that is stored anew stands elsewhere in the order. To meet it again does no harm.
            let page = try await records.query(Kind.self, of: poolID, after: next, limit: Self.pageSize)
            for record in page.records where try await !body(record) { succeeded = false }
            next = page.next
        } while next != nil
        return succeeded
    }

    private func compose(_ alias: Alias) async throws(CognitoError) -> Bool {
        let key = CanonicalForm.composed(alias.alias)
        // The subjects of providers are compared as they are.
        guard ["email", "phone_number", "preferred_username"].contains(alias.attribute), !key.isExactly(alias.alias),
            try await records.get(Alias.self, alias.poolID, key) == nil
        else { return true }
        let composed = Alias(poolID: alias.poolID, alias: key, target: alias.target)
        return try await records.write([.delete(alias), .insert(composed)])
    }

    private func composeName(of user: User, in pool: UserPool) async throws(CognitoError) -> Bool {
        let key = CanonicalForm.composed(user.usernameKey)
        guard !key.isExactly(user.usernameKey), try await records.get(User.self, pool.id, key) == nil else {
            return true
        }
        var composed = user
        composed.usernameKey = key
        composed.mfa.totpSecret = resealed(user.mfa.totpSecret, from: user.totpContext, to: composed.totpContext)
        composed.mfa.pendingSecret = resealed(user.mfa.pendingSecret, from: user.totpContext, to: composed.totpContext)
        var writes: [RecordWrite] = [.delete(user), .insert(composed)]
        for alias in aliases(of: user, pool) {
            writes += try await ownAliases(of: user, alias.attribute, pool).map { alias in
                var alias = alias
                alias.target = key
                return .replace(alias)
            }
        }
        for alias in identityAliases(of: user, pool) {
            guard var stored = try await records.get(Alias.self, pool.id, alias.alias),
                stored.target.isExactly(user.usernameKey)
            else { continue }
            stored.target = key
            writes.append(.replace(stored))
        }
        for membership in try await records.all(Membership.self, of: user.reference) {
            var moved = membership
            (moved.user, moved.usernameKey) = (composed.reference, composed.usernameKey)
            writes += [.delete(membership), .insert(moved)]
        }
        for var session in try await records.all(Session.self, "byUser", of: user.reference) {
            session.user = composed.reference
            writes.append(.replace(session))
        }
        for device in try await records.all(Device.self, of: user.reference) {
            var moved = device
            moved.user = composed.reference
            moved.verifier = resealed(device.verifier, from: device.context, to: moved.context)
            writes += [.delete(device), .insert(moved)]
        }
        // The hash of a code has the user's key in it.
        writes += try await records.all(Code.self, of: user.reference).map { .delete($0) }
        return try await records.write(writes)
    }

    /// A sealed text in another context; as it is where its key is missing.
    private func resealed(_ sealed: String?, from context: String, to other: String) -> String? {
        sealed.map { text in sealer.open(text, context: context).map { sealer.seal($0, context: other) } ?? text }
    }
}
