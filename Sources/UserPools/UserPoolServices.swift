public import JSON

/// The services that user pools use of the server.
///
/// The operation awaits those that are `async`. The server bounds them: a function answers within five seconds, with as many
/// bytes as `limits.functions` allows, and a provider within ten seconds, with at most 1 MiB. The others are called on the
/// operation's thread and return at once, except `noteAdministration`, which returns when the entry is committed.
public struct UserPoolServices: Sendable {
    /// The result of a function call.
    public enum FunctionAnswer: Sendable {
        /// It answered with this value.
        case value(JSONValue)
        /// It failed, and said why.
        case failed(String)
        /// It could not be reached, or did not answer in time. The server knows why.
        case unreachable
    }

    /// A request to a provider of OpenID Connect.
    public struct ProviderRequest: Sendable {
        /// The URL, out of the configuration or of the provider's own discovery document.
        public var url: String
        /// Header lines.
        public var headers: [(name: String, value: String)]
        /// A form to be sent by POST; nil of a GET.
        public var form: [UInt8]?
    }

    /// What a provider answered.
    public struct ProviderAnswer: Sendable {
        /// The status.
        public var status: Int
        /// The body.
        public var body: [UInt8]

        /// An answer.
        public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    /// Why a provider did not answer, as a sentence's end.
    public struct ProviderFailure: Error, Sendable {
        /// The cause.
        public var reason: String

        /// A failure.
        public init(reason: String) { self.reason = reason }
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

    /// An administrative operation, as the audit log has it.
    public struct Administration: Sendable, Hashable {
        /// The operation, such as `users.AdminCreateUser`.
        public var name: String
        /// What it is done to.
        public var target: String
        /// The names of the members that the caller gave.
        public var fields: [String]
        /// Who calls.
        public var caller: Caller
    }

    /// Sessions that were ended before they expired.
    public enum Ended: Sendable, Hashable {
        /// One session, by its `origin_jti`.
        case session(String)
        /// All sessions of a user, by `sub`.
        case user(String)
        /// All sessions of a client, by its id.
        case client(String)
        /// All sessions of a pool, by its id.
        case pool(String)
    }

    /// Calls a function by its name in the configuration, its ARN or its URL.
    public var invokeFunction: @Sendable (_ function: String, _ event: JSONValue) async -> FunctionAnswer
    /// Sends a request to a provider of OpenID Connect.
    public var askProvider: @Sendable (_ request: ProviderRequest) async -> Result<ProviderAnswer, ProviderFailure>
    /// Receives each failure of a provider: its name and what went wrong.
    public var noteProviderFailure: @Sendable (_ provider: String, _ reason: String) -> Void
    /// Receives each failure of a trigger's function whose error the caller is not answered with: the trigger and the error.
    public var noteTriggerFailure: @Sendable (_ trigger: String, _ reason: String) -> Void
    /// Receives each message.
    public var noteMessage: @Sendable (Message) -> Void
    /// Receives the sessions that were ended, before the operation is answered.
    public var endSessions: @Sendable (Ended) -> Void
    /// Enters an administrative operation in the audit log, before it is carried out; false if it cannot be entered.
    public var noteAdministration: @Sendable (Administration) -> Bool

    /// Services of functions.
    public init(
        invokeFunction: @escaping @Sendable (_ function: String, _ event: JSONValue) async -> FunctionAnswer,
        askProvider: @escaping @Sendable (_ request: ProviderRequest) async -> Result<ProviderAnswer, ProviderFailure>,
        noteProviderFailure: @escaping @Sendable (_ provider: String, _ reason: String) -> Void,
        noteTriggerFailure: @escaping @Sendable (_ trigger: String, _ reason: String) -> Void = { _, _ in },
        noteMessage: @escaping @Sendable (Message) -> Void, endSessions: @escaping @Sendable (Ended) -> Void,
        noteAdministration: @escaping @Sendable (Administration) -> Bool
    ) {
        self.invokeFunction = invokeFunction
        (self.askProvider, self.noteProviderFailure) = (askProvider, noteProviderFailure)
        (self.noteTriggerFailure, self.noteMessage) = (noteTriggerFailure, noteMessage)
        (self.endSessions, self.noteAdministration) = (endSessions, noteAdministration)
    }
}
