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
        let user = try await update(owner.user, in: owner.pool) { user in user.change(Self.normalized(attributes)) }
        var deliveries: [Delivery] = []
        for attribute in ["email", "phone_number"] where owner.pool.autoVerifiedAttributes.contains(attribute) {
            guard let address = user[attribute], !address.isEmpty, before[attribute]?.isExactly(address) != true
            else { continue }
            let delivery = Delivery(attribute: attribute, address: address)
            try await sendCode(
                to: user, delivery, for: .attribute(attribute), in: owner.pool, client: owner.client,
                trigger: "CustomMessage_UpdateUserAttribute", metadata: metadata, from: caller)
            deliveries.append(delivery)
        }
        return deliveries
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
                || session.previousHash.map({ ConstantTime.isEqual(hash, $0) }) ?? false
                || parsed.wasCurrent(in: session, by: sealer)
        else { return }
        guard session.clientID == client.id else {
            throw CognitoError("UnauthorizedException", "The token was not issued to this client.")
        }
        try await end(session)
    }
}
