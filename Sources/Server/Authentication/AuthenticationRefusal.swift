import API

/// Why credentials are refused, with AppSync's messages (reference: appsync-protocol, "Status codes and error bodies").
struct AuthenticationRefusal: Error, Sendable, Hashable, ExpressibleByStringLiteral {
    var status = 401
    var errorType = "UnauthorizedException"
    var message: String

    init(_ message: String) { self.message = message }

    init(status: Int, errorType: String, message: String) {
        (self.status, self.errorType, self.message) = (status, errorType, message)
    }

    init(stringLiteral message: String) { self.init(message) }

    var problem: Problem { Problem(status: status, errorType: errorType, message: message) }

    /// The same on the realtime channel, whose errors of credentials have one type
    /// (reference: appsync-protocol, "Realtime connection").
    var realtimeDecision: RealtimeSession.Decision {
        switch status {
        case 429, 503: .throttled
        case 401: .refused(message)
        default: .refused(Self.unauthorized.message)
        }
    }
}

extension AuthenticationRefusal {
    /// Credentials that were understood and are not accepted.
    static let unauthorized: AuthenticationRefusal = "You are not authorized to make this call."
    /// The queue of verifications is full. AppSync's error for too many requests, which clients retry.
    static let throttled = AuthenticationRefusal(
        status: 429, errorType: "ThrottlingException", message: "Rate exceeded")
    /// The credentials cannot be checked at present.
    static let unavailable = AuthenticationRefusal(
        status: 503, errorType: "ServiceUnavailableException", message: "The service is busy. Try again.")
}
