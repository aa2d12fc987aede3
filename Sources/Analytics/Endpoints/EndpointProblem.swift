/// Why an endpoint in a request is invalid, as a sentence.
struct EndpointProblem: Error, Sendable, Hashable {
    var message: String
}
