/// What is wrong with an endpoint that was sent, as a sentence.
struct EndpointProblem: Error, Sendable, Hashable {
    var message: String
    /// As of HTTP.
    var status = 400
}
