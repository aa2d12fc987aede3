public import JSON

/// What user pools ask of the server around them.
public struct UserPoolServices: Sendable {
    /// What became of a function's call.
    public enum FunctionAnswer: Sendable {
        /// It answered with this value.
        case value(JSONValue)
        /// It failed, and said why.
        case failed(String)
        /// It could not be reached, or did not answer in time.
        case unreachable(String)
    }

    /// A message that was put into the outbox.
    public struct Message: Sendable {
        /// `EMAIL` or `SMS`.
        public var medium: String
        /// The address or telephone number.
        public var recipient: String
        /// What it is for, such as `CustomMessage_SignUp`.
        public var trigger: String
        /// The code or the temporary password in it.
        public var code: String?
    }

    /// Sessions that have ended before their time.
    public enum Ended: Sendable, Hashable {
        /// One session, by its `origin_jti`.
        case session(String)
        /// All sessions of a user, by `sub`.
        case user(String)
    }

    /// Calls a function by its name in the configuration, its ARN or its URL.
    public var invokeFunction: @Sendable (_ function: String, _ event: JSONValue) async -> FunctionAnswer
    /// The base of the issuer of pools that calls make from now on.
    public var issuerOfNewPools: @Sendable () -> String?
    /// Receives each message.
    public var noteMessage: @Sendable (Message) -> Void
    /// Receives the sessions that were ended, before the operation is answered.
    public var endSessions: @Sendable (Ended) -> Void
    /// Receives each act of the administration, for the audit log.
    public var noteAdministration: @Sendable (_ action: String, _ target: String, _ caller: Caller) -> Void

    /// Services of functions.
    public init(
        invokeFunction: @escaping @Sendable (_ function: String, _ event: JSONValue) async -> FunctionAnswer,
        issuerOfNewPools: @escaping @Sendable () -> String?,
        noteMessage: @escaping @Sendable (Message) -> Void, endSessions: @escaping @Sendable (Ended) -> Void,
        noteAdministration: @escaping @Sendable (_ action: String, _ target: String, _ caller: Caller) -> Void
    ) {
        (self.invokeFunction, self.issuerOfNewPools) = (invokeFunction, issuerOfNewPools)
        self.noteMessage = noteMessage
        (self.endSessions, self.noteAdministration) = (endSessions, noteAdministration)
    }
}
