import HTTP

/// A path and what answers it.
///
/// A class, because it goes through many hands in a request: one reference instead of three.
final class Route: Sendable {
    /// The place in the table.
    let index: Int
    let path: StaticString
    let endpoint: any Endpoint
    /// The endpoint's methods, read once.
    let methods: [Method]
    /// The endpoint's methods for `Allow`.
    let allowedMethods: String
    /// Whether the `RequestSourcePolicy` decides which requests, preflights included, reach the endpoint.
    let checksSource: Bool
    /// Whether it answers probes, whose refusals are no failures.
    let isProbe: Bool

    init(index: Int, path: StaticString, endpoint: any Endpoint) {
        self.index = index
        self.path = path
        self.endpoint = endpoint
        methods = endpoint.methods
        checksSource = endpoint.checksSource
        isProbe = endpoint is ProbeEndpoint
        allowedMethods = (endpoint.methods + [.options]).map(\.name).joined(separator: ",")
    }
}
