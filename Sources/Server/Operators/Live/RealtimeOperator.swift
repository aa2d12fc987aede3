import API
import HTTP
import Synchronization

/// The operator at a WebSocket of GraphQL (`GET /operators/v1/graphql`), whose operations run as the identity that `x-syncline-as`
/// in the payload of `connection_init` names.
struct RealtimeOperator: Sendable {
    static let subprotocol = "graphql-transport-ws"

    let presence: OperatorPresence
    let caller: OperatorCallHandler.Caller
    private let endpoint: OperatorEndpoint

    init(_ caller: OperatorCallHandler.Caller, _ presence: OperatorPresence, _ endpoint: OperatorEndpoint) {
        (self.caller, self.presence, self.endpoint) = (caller, presence, endpoint)
    }

    /// What is known of the caller of an operation.
    struct Decided: Sendable {
        let credentials: OperatorGraphQL.Credentials
        /// What the log of requests calls the caller.
        let callerName: String?
    }

    /// Finds out whom an operation runs as.
    ///
    /// - Parameters:
    ///   - envelope: The operation; nil for a connection. One that may change something is entered in the audit log.
    ///   - decided: Called on the loop.
    func decide(
        _ asked: OperatorGraphQLCall.Caller, _ envelope: [UInt8]?, on loop: EventLoop,
        _ decided: @escaping @Sendable (Result<Decided, OperatorProblem>) -> Void
    ) {
        let isTaken = endpoint.run(for: caller) { [caller] handler in
            let result = Result { () throws(OperatorProblem) in
                if let envelope, OperatorGraphQLCall.mayChange(envelope) {
                    try handler.enter(
                        AuditLog.Action(name: "graphql.request", target: asked.text, caller: caller))
                }
                return Decided(
                    credentials: try handler.credentials(of: asked, for: caller),
                    callerName: asked.recordedName(for: caller))
            }
            loop.execute { decided(result) }
        }
        if !isTaken { decided(.failure(.limited)) }
    }
}

extension RequestContext {
    /// Upgrades a request of an operator to a WebSocket of GraphQL.
    func openGraphQLSocket(_ request: Request, for caller: OperatorCallHandler.Caller) throws(OperatorProblem) {
        let handshake = try handshake(of: request, speaking: RealtimeOperator.subprotocol)
        guard services.context != nil, let servedAPI = services.servedAPI,
            let endpoint = services.state.operatorEndpoint.withLock({ $0 })
        else { throw .notReady }
        guard servedAPI.hasGraphQL else { throw .noGraphQL }
        // Without the header lines: those of an operator are no credentials of the API.
        let opening = RealtimeOpening(subprotocols: [RealtimeOperator.subprotocol])
        let session = RealtimeSession(opening, limits: servedAPI.realtimeLimits)
        let person = RealtimeOperator(caller, presence(of: caller, request), endpoint)
        upgrade(
            handshake, subprotocol: session.subprotocol, limits: servedAPI.webSocketLimits,
            handler: RealtimeConnection(session, opening: request, self, for: person))
    }
}
