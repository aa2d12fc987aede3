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
    /// The answer to what the HTTP layer refuses of its requests, such as a body that is too large; nil for AppSync's form.
    ///
    /// - Parameter head: The request without its body.
    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response?
}

extension Endpoint {
    var methods: [Method] { [.get, .head] }
    var allowsCORS: Bool { true }
    var checksSource: Bool { false }
    var bodyReception: BodyReception { .collect() }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        nil
    }

    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext) {
        respond(to: request, in: requestContext)
    }
}
