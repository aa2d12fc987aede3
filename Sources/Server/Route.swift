import HTTP

/// A path pattern, and the endpoint that answers its requests.
///
/// A class, because it is passed on several times in a request: one reference count instead of three.
final class Route: Sendable {
    /// The place in the table.
    let index: Int
    let pattern: RoutePattern
    let endpoint: any Endpoint
    /// The endpoint's methods for `Allow`.
    let allowedMethods: String
    /// Whether the `RequestSourcePolicy` decides which requests, preflights included, reach the endpoint.
    let checksSource: Bool
    /// How the bodies of its requests are received.
    let bodyReception: BodyReception
    /// Whether its requests are recorded for operators.
    let isRecorded: Bool
    /// Whether it answers probes, whose refusals are no failures.
    let isProbe: Bool

    init(index: Int, pattern: RoutePattern, endpoint: any Endpoint) {
        self.index = index
        self.pattern = pattern
        self.endpoint = endpoint
        checksSource = endpoint.checksSource
        bodyReception = endpoint.bodyReception
        isRecorded = endpoint is GraphQLEndpoint
        isProbe = endpoint is ProbeEndpoint
        allowedMethods = (endpoint.methods + [.options]).map(\.name).joined(separator: ",")
    }

    /// The path, for the log and the counters.
    var path: String { pattern.path }
}
