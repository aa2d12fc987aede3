/// Why the server refuses a request by itself, before a responder answers it. How that is worded for the client is the
/// responder's (`Responder.response`).
public struct Refusal: Error, Sendable, Hashable {
    /// The status of the answer.
    public let status: Int
    /// One sentence for the client's developer: what is wrong, or what the bound is. It is fixed, and holds nothing that
    /// the client sent.
    public let message: String

    static func malformed(_ message: String) -> Refusal { Refusal(status: 400, message: message) }
}

extension Refusal {
    static let bodyTooLarge = Refusal(status: 413, message: "The request body is larger than the server reads.")
    static let unknownCoding = Refusal(
        status: 415, message: "The content codings the server reads are gzip, deflate and identity.")
    static let bodyTooSlow = Refusal(status: 408, message: "The request's body took too long to arrive.")
    static let clearTextOnTLSPort = Refusal(
        status: 400, message: "This port speaks TLS only. Use https:// or wss:// instead.")
    static let headTooSlow = Refusal(status: 408, message: "The request's head took too long to arrive.")
    static let keepsTooMuch = Refusal(
        status: 503, message: "The server is receiving as much as it can keep. Try again later.")
    static let noDescriptors = Refusal(
        status: 503, message: "The server has as many connections as the system lets it have. Try again later.")
    static let shutsDown = Refusal(status: 503, message: "The server is shutting down. Try again later.")
    static let tooManyConnections = Refusal(
        status: 503, message: "The server has as many connections as it takes. Try again later.")
    static let unanswered = Refusal(status: 500, message: "The request was not answered.")
}
