/// Why an endpoint in a request is invalid, as a sentence.
struct EndpointProblem: Error, Sendable, Hashable {
    var message: String

    static func tooLarge(_ limits: AnalyticsLimits) -> EndpointProblem {
        EndpointProblem(message: "The endpoint has more than \(limits.endpointBytesMax) bytes.")
    }

    static func tooManyAttributes(in map: String, _ limits: AnalyticsLimits) -> EndpointProblem {
        EndpointProblem(message: "'\(map)' has more than \(limits.attributesPerEndpointMax) members.")
    }

    /// The endpoints of a request are too large together.
    static func requestTooLarge(_ limits: AnalyticsLimits) -> EndpointProblem {
        EndpointProblem(
            message: "The endpoints of the request have more than \(limits.endpointsPerRequestBytesMax) bytes together."
        )
    }
}
