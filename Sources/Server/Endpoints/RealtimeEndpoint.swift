import API
import HTTP

/// `GET /graphql/realtime`, and `/graphql` when it is asked for a WebSocket: subscriptions
/// (reference: appsync-protocol, "Realtime connection").
///
/// The upgrade needs no credentials: AppSync's clients send them in it or later, and expect a message if they are wrong.
/// Its `Origin` is checked, because browsers leave that to the server.
struct RealtimeEndpoint: Endpoint {
    let methods: [Method] = [.get]
    let checksSource = true

    func respond(to request: Request, in requestContext: RequestContext) {
        guard !Self.upgradeIfAsked(request, in: requestContext) else { return }
        requestContext.refuse(
            .upgradeRequired, fields: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
    }

    /// Answers a request for a WebSocket, by one or by saying why not; says false to any other request.
    static func upgradeIfAsked(_ request: Request, in requestContext: RequestContext) -> Bool {
        let handshake: WebSocketHandshake
        do throws(WebSocketHandshakeError) {
            guard let read = try WebSocketHandshake(request) else { return false }
            handshake = read
        } catch {
            let problem = Problem(status: error.status, errorType: "BadRequestException", message: error.message)
            requestContext.refuse(problem, fields: error.fields)
            return true
        }
        guard requestContext.services.context != nil, let servedAPI = requestContext.services.servedAPI else {
            requestContext.refuse(.notReady)
            return true
        }
        guard servedAPI.hasGraphQL else {
            requestContext.refuse(.noGraphQL)
            return true
        }
        if let problem = servedAPI.sourcePolicy.problem(ofUpgrade: request) {
            requestContext.refuse(problem, foreign: request)
            return true
        }
        let opening = unsafe RealtimeOpening(
            subprotocols: handshake.subprotocols, query: request.withQuery { unsafe $0.map { unsafe [UInt8]($0) } },
            headers: request.headers)
        let session = RealtimeSession(opening, limits: servedAPI.realtimeLimits)
        requestContext.upgrade(
            handshake, subprotocol: session.subprotocol, limits: servedAPI.webSocketLimits,
            handler: RealtimeConnection(session, opening: request, requestContext))
        return true
    }
}

extension Problem {
    fileprivate static let upgradeRequired = Problem(
        status: 426, errorType: "BadRequestException",
        message: "Subscriptions are served over a WebSocket: ask for it by Upgrade and Connection (RFC 6455).")
}
