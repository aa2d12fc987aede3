/// An error as the realtime channel reports it: type and message, and nothing else for ordinary clients
/// (reference: appsync-protocol, "Errors on the realtime channel").
public struct RealtimeError: Error, Sendable, Hashable {
    /// AppSync's word for the kind of error; nil for what is wrong with a document.
    public var errorType: String?
    /// What went wrong, for the caller to read.
    public var message: String
    /// Why rules have refused the operation, for an operator who has asked for it.
    public var explanation: AuthorizationExplanation?

    /// An error of this type, or with a message only.
    public init(errorType: String? = nil, message: String) {
        self.errorType = errorType
        self.message = message
    }
}

// The errors of `connection_error` (reference: appsync-protocol, "Connection errors") and of `error`
// (reference: appsync-protocol, "Subscription errors").
extension RealtimeError {
    static let missingAuthorization = unauthorized("Missing authorization header")
    static let unreadableAuthorization = badRequest("The authorization header cannot be decoded.")
    static let noProtocol = RealtimeError(message: "NoProtocolError")

    /// The credentials of an operation are not, or no longer, accepted.
    public static let permissionDenied = unauthorized("Permission denied")
    static let rateLimitExceeded = RealtimeError(errorType: "LimitExceededError", message: "Rate limit exceeded")
    static let unreadableMessage = badRequest("The message is not a JSON object.")
    static let unreadableOperation = RealtimeError(message: "Unable to parse GraphQL query.")

    static func unauthorized(_ message: String) -> RealtimeError {
        RealtimeError(errorType: "UnauthorizedException", message: message)
    }

    static func badRequest(_ message: String) -> RealtimeError {
        RealtimeError(errorType: "BadRequestException", message: message)
    }

    /// The word is `query`, `mutation`, or `unknown` for what cannot be read.
    static func unsupported(_ operation: String) -> RealtimeError {
        RealtimeError(
            errorType: "UnsupportedOperation", message: "\(operation) not supported through the realtime channel")
    }

    static func maxSubscriptionsReached(_ countMax: Int) -> RealtimeError {
        RealtimeError(
            errorType: "MaxSubscriptionsReachedError", message: "Max number of \(countMax) subscriptions reached")
    }
}
