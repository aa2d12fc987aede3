import JSON

/// An operation of Cognito's interface: its name, who may call it, its members, and what it does.
struct Operation: Sendable {
    /// Who may call an operation (reference: auth, "User-pool operations").
    enum Access: Sendable {
        /// Everybody.
        case open
        /// A user with an access token, which is part of the body.
        case token
        /// A caller that signs with an access key.
        case signed
    }

    let name: String
    let access: Access
    let members: [Member]
    let run: @Sendable (OperationCall) async throws(CognitoError) -> JSONObject

    init(
        _ name: String, _ access: Access, _ members: [Member],
        run: @escaping @Sendable (OperationCall) async throws(CognitoError) -> JSONObject
    ) {
        (self.name, self.access, self.members, self.run) = (name, access, members, run)
    }
}
