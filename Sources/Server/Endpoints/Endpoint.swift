import HTTP

/// What answers a path.
protocol Endpoint: Sendable {
    /// The methods it answers; OPTIONS is answered for it.
    var methods: [Method] { get }
    /// Whether pages of other origins may read its answers, as far as `cors` in the configuration allows.
    var allowsCORS: Bool { get }
    /// Whether the `RequestSourcePolicy` decides which requests, preflights included, reach the endpoint.
    var checksSource: Bool { get }
    /// How the bodies of its requests are received.
    var bodyReception: BodyReception { get }
    /// Answers a request with one of its methods, now or later, on the loop of its connection.
    func respond(to request: Request, in requestContext: RequestContext)
    /// The same for a route with parameters.
    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext)
}

extension Endpoint {
    var methods: [Method] { [.get, .head] }
    var allowsCORS: Bool { true }
    var checksSource: Bool { false }
    var bodyReception: BodyReception { .collect() }

    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext) {
        respond(to: request, in: requestContext)
    }
}
