import HTTP
import JSON

/// An error outside of GraphQL: status, AppSync's errorType, a sentence.
struct Problem: Sendable, Hashable {
    var status: Int
    var errorType: String
    var message: String
    /// Apollo's `extensions.code`, of what its clients look at.
    var extensionCode: String?
    /// What the log says instead of the message, and what the developer may do.
    var cause: String?
    var hint: String?

    /// The body of every answer that is not 200 (reference: appsync-protocol, "Status codes and error bodies").
    var body: [UInt8] {
        var writer = JSONWriter(capacity: 128)
        if let extensionCode {
            writer.append(#"{"errors":[{"message":"#)
            writer.writeString(message)
            writer.append(#","extensions":{"code":"#)
            writer.writeString(extensionCode)
            writer.append("}}]}")
            return writer.bytes
        }
        writer.append(#"{"errors":[{"errorType":"#)
        writer.writeString(errorType)
        writer.append(#","message":"#)
        writer.writeString(message)
        writer.append("}]}")
        return writer.bytes
    }

    static let unknownPath = Problem(
        status: 404, errorType: "UnknownOperationException",
        message: "Nothing is served at this path. GraphQL is served at POST /graphql.")
    static let noGraphQL = Problem(
        status: 404, errorType: "UnknownOperationException", message: "No GraphQL API is served here.")
    static let devOnly = Problem(
        status: 404, errorType: "UnknownOperationException", message: "Only 'syncline dev' serves this path.")
    static let wrongMethod = Problem(
        status: 405, errorType: "MalformedHttpRequestException", message: "This path does not take this method.")
    static let notAcceptable = Problem(
        status: 406, errorType: "NotAcceptableException",
        message: "The Accept header allows neither application/json nor application/graphql-response+json.")
    static let notReady = Problem(
        status: 503, errorType: "ServiceUnavailableException", message: "The server is starting.")
    static let ending = Problem(
        status: 503, errorType: "ServiceUnavailableException", message: "The server is ending.")
    static let notAnswering = Problem(
        status: 503, errorType: "ServiceUnavailableException",
        message: "The server does not carry out requests at present; its log says why.")
    static let notCleared = Problem(
        status: 500, errorType: "InternalFailure", message: "The items could not be deleted; the log says why.")
    static let noIntrospection = Problem(
        status: 403, errorType: "AccessDeniedException",
        message: "Introspection is disabled (introspectionConfig).")

    /// AppSync knows only 400; GraphQL over HTTP has a status for it
    /// (reference: appsync-protocol, "GraphQL over HTTP").
    static func contentType(_ form: AnswerForm) -> Problem {
        Problem(
            status: form == .appSync ? 400 : 415,
            errorType: form == .appSync ? "MalformedHttpRequestException" : "UnsupportedMediaTypeException",
            message: "The Content-Type must be application/json or application/graphql, with a JSON body.")
    }

    static func unauthorized(_ message: String) -> Problem {
        Problem(status: 401, errorType: "UnauthorizedException", message: message)
    }
}

extension Problem {
    /// What the HTTP layer refused, in AppSync's types.
    init(_ refusal: Refusal) {
        let errorType =
            switch refusal.status {
            case 408: "RequestTimeoutException"
            case 413, 414, 431: "RequestEntityTooLargeException"
            case 415: "UnsupportedMediaTypeException"
            case 503: "ServiceUnavailableException"
            case 500: "InternalFailure"
            default: "MalformedHttpRequestException"
            }
        self.init(status: refusal.status, errorType: errorType, message: refusal.message)
    }
}
