/// Why credentials are refused, in AppSync's words (reference: appsync-protocol, "Status codes and error bodies").
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
    var realtimeMessage: String { status == 401 ? message : "You are not authorized to make this call." }
}
