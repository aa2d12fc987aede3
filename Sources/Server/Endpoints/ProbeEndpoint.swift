import HTTP

/// `GET /ping`, `/health`, `/ready`: probes. They expose nothing else, since they need no credentials. The first two only
/// show that the process is alive: they are liveness probes.
enum ProbeEndpoint: Endpoint {
    /// Whether the way here is open; clients of AppSync's realtime probe for it
    /// (reference: appsync-protocol, "Endpoints").
    case ping
    /// Whether the process is alive: it answers.
    case health
    /// Whether requests are answered, shown by a query and a write: not before the API is whole, not while the disk
    /// refuses what is written, and not once the server is to end. Load balancers ask it.
    case ready

    func respond(to request: Request, in requestContext: RequestContext) {
        let json = "application/json;charset=UTF-8"
        switch self {
        case .ping: requestContext.answer("text/plain;charset=UTF-8", Array("healthy".utf8))
        case .health: requestContext.answer(json, Array(#"{"status":"ok"}"#.utf8))
        case .ready where requestContext.services.state.isEnding: requestContext.refuse(.ending)
        case .ready:
            let services = requestContext.services
            guard services.state.isStarted, let context = services.context, let servedAPI = services.servedAPI else {
                return requestContext.refuse(.notReady)
            }
            services.state.readiness.ask(servedAPI.api, on: context, loop: requestContext.loop) { problem in
                if let problem { return requestContext.refuse(problem) }
                requestContext.answer(json, Array(#"{"status":"ready"}"#.utf8))
            }
        }
    }
}
