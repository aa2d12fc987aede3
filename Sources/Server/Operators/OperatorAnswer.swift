import JSON

/// The answer to a call of the operators' API.
struct OperatorAnswer: Sendable {
    var status = 200
    var body: JSONValue
    /// Header lines beside those of all answers.
    var fields: [(name: String, value: String)] = []
    /// The body as it is sent, in place of `body`; nil where there is no other.
    var bytes: [UInt8]?
}

extension OperatorAnswer {
    /// An error's.
    init(_ problem: OperatorProblem, requestID: String) {
        self.init(status: problem.status, body: problem.body(requestID: requestID), fields: problem.fields)
    }
}
