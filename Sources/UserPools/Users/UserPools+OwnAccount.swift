import Encodings
import JSON

extension UserPools {
    /// Changes attributes of a user who is signed in. A changed address is not verified any more; a code is sent if the
    /// pool verifies it.
    func change(
        _ attributes: [Attribute], of owner: TokenOwner, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) -> [Delivery] {
        try Self.check(attributes, in: owner.pool, by: owner.client, isNew: false)
        let before = owner.user
        let attributes = Self.normalized(attributes)
        let (user, pending) = try await change(attributes, waiting: { _ in true }, of: before, in: owner.pool)
        var deliveries: [Delivery] = []
        for attribute in ["email", "phone_number"] where owner.pool.autoVerifiedAttributes.contains(attribute) {
            let waiting = pending.first { $0.attribute == attribute }
            guard let address = waiting?.address ?? user[attribute], !address.isEmpty,
                before[attribute]?.isExactly(address) != true
            else { continue }
            let delivery = Delivery(attribute: attribute, address: address)
            try await sendCode(
                to: user, delivery, for: .attribute(attribute), in: owner.pool, client: owner.client,
                trigger: "CustomMessage_UpdateUserAttribute", metadata: metadata, from: caller,
                isPending: waiting != nil)
            deliveries.append(delivery)
        }
        return deliveries
    }

    /// Changes attributes of a user for an operator. An address that the pool keeps until the new one is verified waits for
    /// its code, unless the call says that it is verified.
    func change(
        _ attributes: [Attribute], of user: User, in pool: UserPool, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) {
        let (changed, pending) = try await change(
            attributes,
            waiting: { name in !attributes.contains { $0.name == "\(name)_verified" && $0.value == "true" } },
            of: user, in: pool)
        try await sendCodes(toPending: pending, of: changed, in: pool, client: nil, metadata: metadata, from: caller)
    }

    /// Sends codes to addresses of a user that become attributes once they are confirmed.
    func sendCodes(
        toPending deliveries: [Delivery], of user: User, in pool: UserPool, client: UserPoolClient?,
        metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) {
        for delivery in deliveries {
            try await sendCode(
                to: user, delivery, for: .attribute(delivery.attribute), in: pool, client: client,
                trigger: "CustomMessage_UpdateUserAttribute", metadata: metadata, from: caller, isPending: true)
        }
    }

    /// Changes attributes, but for addresses that wait for a code (Amazon Cognito API Reference,
    /// `UserAttributeUpdateSettingsType`).
    ///
    /// - Parameter waits: Whether a changed address of this name waits where the pool says so.
    /// - Returns: The user, and where codes are to be sent.
    private func change(
        _ attributes: [Attribute], waiting waits: (String) -> Bool, of user: User, in pool: UserPool
    ) async throws(CognitoError) -> (user: User, pending: [Delivery]) {
        let kept = pool.attributesKeptUntilVerified
        let pending = attributes.filter { attribute in
            kept.contains(attribute.name) && !attribute.value.isEmpty
                && user[attribute.name]?.isExactly(attribute.value) != true && waits(attribute.name)
        }.map { Delivery(attribute: $0.name, address: $0.value) }
        var now: [Attribute] = []
        for attribute in attributes {
            // What the call says of an address that waits is not true of the one that stays.
            if pending.contains(where: { [$0.attribute, "\($0.attribute)_verified"].contains(attribute.name) }) {
                continue
            }
            now.append(attribute)
            // An address that waited is given up for this one.
            if kept.contains(attribute.name) { try await removePendingAddress(attribute.name, of: user) }
        }
        guard !now.isEmpty else { return (user, pending) }
        let changes = now
        return (try await update(user, in: pool) { $0.change(changes) }, pending)
    }

    /// Removes attributes, and the addresses that wait for their codes to become one of them.
    func remove(_ names: [String], of user: User, in pool: UserPool) async throws(CognitoError) {
        let names = Set(names)
        // Only addresses wait.
        for name in ["email", "phone_number"] where names.contains(name) {
            try await removePendingAddress(name, of: user)
        }
        _ = try await update(user, in: pool) { $0.remove(names.sorted()) }
    }

    /// Removes the code of an address that waits for its verification, and the address with it.
    func removePendingAddress(_ attribute: String, of user: User) async throws(CognitoError) {
        let purpose = Code.Purpose.attribute(attribute)
        for _ in 0..<RecordStore.attemptsMax {
            guard let code = try await records.get(Code.self, user.reference, purpose.text), code.isPending else {
                return
            }
            if try await records.delete(code) { return }
        }
        throw .tooManyRequests
    }

    static func checkRemoval(of names: [String], in pool: UserPool, by client: UserPoolClient?) throws(CognitoError) {
        for name in names {
            guard let schema = pool.attribute(name) else {
                throw .invalidParameter(
                    "Attributes did not conform to the schema: \(name): Attribute does not exist in the schema.\n")
            }
            if schema.isRequired { throw .invalidParameter("user.\(name): The attribute is required\n") }
            if let client, !client.mayWrite(name) {
                throw .notAuthorized("A client attempted to write unauthorized attribute")
            }
            if !schema.isMutable { throw .invalidParameter("user.\(name): Attribute cannot be updated.\n") }
        }
    }

    /// Revokes the session of a refresh token. An unknown token counts as revoked already.
    func revoke(_ token: String, _ client: UserPoolClient) async throws(CognitoError) {
        guard client.isTokenRevocationEnabled else {
            throw CognitoError("UnsupportedOperationException", "Token revocation is not enabled for this client")
        }
        guard let parsed = RefreshToken(token) else {
            if JSONWebToken(token) != nil {
                throw CognitoError("UnsupportedTokenTypeException", "Unsupported token type")
            }
            return
        }
        guard let session = try await records.get(Session.self, parsed.sessionID) else { return }
        let hash = Self.hash(token)
        guard
            ConstantTime.isEqual(hash, session.refreshHash)
                || session.replacedToken(hash) != nil || parsed.wasCurrent(in: session, by: sealer)
        else { return }
        guard session.clientID == client.id else {
            throw CognitoError("UnauthorizedException", "The token was not issued to this client.")
        }
        try await end(session)
    }
}
