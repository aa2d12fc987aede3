import HTTP
import JSON

/// The answer to a call of the operators' API.
struct OperatorAnswer: Sendable {
    var status = 200
    var body: JSONValue
    /// The body as a stream, sent instead of `body` and `bytes`; nil to send those.
    var content: ResponseBody?
    /// The type of what is sent.
    var contentType = "application/json;charset=UTF-8"
    /// Header lines in addition to those of all answers.
    var fields: [(name: String, value: String)] = []
    /// The encoded body, sent instead of `body`; nil to send `body`.
    var bytes: [UInt8]?
}

extension OperatorAnswer {
    /// The answer with an error.
    init(_ problem: OperatorProblem, requestID: String) {
        self.init(status: problem.status, body: problem.body(requestID: requestID), fields: problem.fields)
    }
}
