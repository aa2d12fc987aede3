import HTTP
import JSON

/// One request and the way to answer it.
struct Exchange: Sendable {
    let request: Request
    let reply: Reply
    let desk: Desk
    let heads: ResponseHeads.Heads

    /// Answers with a body that lives for the call only; on the loop.
    func answer(_ status: Int = 200, _ head: HeaderBlock, _ body: UnsafeRawBufferPointer) {
        reply.send(status: status, head: head, requestID: reply.loop.makeRequestID(), body: body)
    }

    /// Answers in AppSync's form of errors outside of GraphQL.
    func refuse(_ problem: Problem, fields: [(name: String, value: String)] = []) {
        send(problem.status, errorType: problem.errorType, fields: fields, body: problem.body)
    }

    /// Answers with an error whose body is already written. amplify-js takes the error's name from the header
    /// `x-amzn-ErrorType` (AppSync protocol §1.3).
    func send(
        _ status: Int, errorType: String, fields: [(name: String, value: String)] = [], body: [UInt8]
    ) {
        let fields = [("x-amzn-ErrorType", errorType)] + fields
        reply.send(Response(status: status, headers: heads.plain, fields: fields, body: body))
    }

    /// Answers a browser that asks what it may send. It is never authenticated (AppSync protocol §1.4).
    func answerPreflight(of endpoint: any Endpoint) {
        var fields = [("Access-Control-Allow-Methods", endpoint.allowedMethods)]
        if let asked = request[header: "access-control-request-headers"] {
            fields.append(("Access-Control-Allow-Headers", asked))
        }
        reply.send(Response(status: 200, headers: heads.preflight, fields: fields))
    }
}

/// An error outside of GraphQL: status, AppSync's errorType, a sentence.
struct Problem: Sendable, Hashable {
    var status: Int
    var errorType: String
    var message: String

    /// AppSync protocol §1.5: the body of all that is not 200.
    var body: [UInt8] {
        var writer = JSONWriter(capacity: 128)
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
    static let wrongMethod = Problem(
        status: 405, errorType: "MalformedHttpRequestException", message: "This path does not take this method.")
    static let contentType = Problem(
        status: 400, errorType: "MalformedHttpRequestException",
        message: "The Content-Type must be application/json or application/graphql, with a JSON body.")
    static let notReady = Problem(
        status: 503, errorType: "ServiceUnavailableException", message: "The server is starting.")

    static func unauthorized(_ message: String) -> Problem {
        Problem(status: 401, errorType: "UnauthorizedException", message: message)
    }
}
