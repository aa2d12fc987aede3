import HTTP

/// The paths of the product, each with what answers it.
struct Routes: Responder {
    static let table: [Route] = [
        ("/graphql", GraphQLEndpoint() as any Endpoint), ("/graphql/realtime", RealtimeEndpoint()),
        ("/ping", ProbeEndpoint.ping), ("/health", ProbeEndpoint.health), ("/ready", ProbeEndpoint.ready),
        ("/schema.graphql", SchemaEndpoint.sdl), ("/schema.json", SchemaEndpoint.introspection),
        ("/api-config", APIConfigEndpoint()), ("/clear-data", ClearDataEndpoint()), ("/metrics", MetricsEndpoint()),
    ].enumerated().map { Route(index: $0, path: $1.0, endpoint: $1.1) }

    /// One per event loop, by the loop's index.
    let loopServices: [LoopServices]

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        if let user = request.peer.localUser { return respond(to: request, from: user, on: loop, reply: reply) }
        let route = route(for: request)
        let exchange = Exchange(request, route, services: loopServices[loop.index], reply: reply)
        guard let route else { return exchange.refuse(.unknownPath) }
        if route.checksSource, let problem = exchange.services.servedAPI?.sourcePolicy.problem(of: request) {
            return exchange.refuse(problem, foreign: request)
        }
        if route.methods.contains(request.method) {
            route.endpoint.respond(to: request, in: exchange)
        } else if request.method == .options {
            exchange.answerPreflight(request, of: route)
        } else {
            exchange.refuse(.wrongMethod, fields: [("Allow", route.allowedMethods)])
        }
    }

    /// In AppSync's form: the type in a header and in the body.
    func response(to refusal: Refusal, head: Request?, requestID: RequestID, on loop: EventLoop) -> Response {
        let problem = Problem(refusal)
        var fields = [(name: "x-amzn-ErrorType", value: problem.errorType)]
        if refusal.status == 503 { fields.append(("Retry-After", "1")) }
        return Response(
            status: refusal.status, headers: loopServices[loop.index].templates.refused, fields: fields, body: problem.body)
    }

    func noteRefusal(_ refusal: Refusal, requestID: RequestID, peer: Peer, on loop: EventLoop) {
        loopServices[loop.index].state.noteRefusal(Problem(refusal), requestID: requestID, peer: peer, on: loop)
    }

    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {
        loopServices[loop.index].state.noteHandshake(failure: failure, peer: peer)
    }

    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {
        loopServices[loop.index].state.noteShortage(shortage, clientCount: clientCount)
    }

    /// Requests by the operators' socket: the operators' API and nothing else.
    private func respond(to request: Request, from user: UInt32, on loop: EventLoop, reply: Reply) {
        guard let endpoint = loopServices[loop.index].state.operatorEndpoint.withLock({ $0 }) else {
            return reply.send(Response(status: 503, headers: .empty, body: []))
        }
        endpoint.respond(to: request, from: user, on: loop, reply: reply)
    }

    private func route(for request: Request) -> Route? {
        request.withPath { path in Self.table.first { path.isEqual(to: $0.path) } }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of the text.
    func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // Both are as long. `elementsEqual` took 30 instructions a byte.
        let text = text.utf8Start
        for index in indices where self[index] != text[index] { return false }
        return true
    }
}
