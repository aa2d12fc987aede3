import HTTP
import Synchronization

/// Who is at an operator's WebSocket: which secret the page has to present, and whether the operator is still signed in.
struct OperatorPresence: Sendable {
    /// The close code when a session has ended.
    static let signedOut: UInt16 = 4401
    /// The close code when a page does not present its session's secret.
    static let secretIsMissing: UInt16 = 4403

    /// The cookie of a browser's session; nil for a program with a token.
    private let secret: ConsoleSecret?
    /// Whether the session, or the operator of the token, is still valid. It does not count as a use of the session.
    let isCurrent: @Sendable () -> Bool

    init(secret: ConsoleSecret?, isCurrent: @escaping @Sendable () -> Bool) {
        (self.secret, self.isCurrent) = (secret, isCurrent)
    }

    /// Whether the page has to present a secret. A browser sends the cookie for any page, but a token only for the program that
    /// has it.
    var needsSecret: Bool { secret != nil }

    func accepts(csrf: String?) -> Bool {
        guard let secret else { return true }
        return csrf.map(secret.isCSRF) ?? false
    }
}

extension RequestContext {
    /// Upgrades a request of an operator to the live channel.
    func openLiveChannel(_ request: Request, for caller: OperatorCallHandler.Caller) throws(OperatorProblem) {
        let handshake = try handshake(of: request, speaking: LiveConnection.subprotocol)
        upgrade(
            handshake, subprotocol: LiveConnection.subprotocol, limits: LiveConnection.limits,
            handler: LiveConnection(services.state.live, presence(of: caller, request)))
    }

    /// The handshake of a request for a WebSocket that offers the subprotocol.
    func handshake(
        of request: Request, speaking subprotocol: String
    ) throws(OperatorProblem) -> WebSocketHandshake {
        let handshake: WebSocketHandshake?
        do throws(WebSocketHandshakeError) { handshake = try WebSocketHandshake(request) } catch {
            throw .invalid(error.message, field: nil)
        }
        guard let handshake else {
            throw .invalid("This path is for WebSockets: ask for one by Upgrade and Connection.", field: "upgrade")
        }
        guard handshake.subprotocols.contains(subprotocol) else {
            throw .invalid("The subprotocol is \(subprotocol).", field: "sec-websocket-protocol")
        }
        return handshake
    }

    /// Whether the caller of a request remains signed in.
    func presence(of caller: OperatorCallHandler.Caller, _ request: Request) -> OperatorPresence {
        let state = services.state
        if let session = caller.browser?.session, let secret = caller.browser?.secret {
            return OperatorPresence(secret: secret) { [weak state] in
                state?.consoleSessions.withLock { $0 }?.isOpen(session) ?? false
            }
        }
        let identity = OperatorIdentity(
            name: caller.name, role: caller.role, tokenHash: request.bearerToken.map(OperatorToken.hash))
        return OperatorPresence(secret: nil) { [weak state] in state?.operators.isCurrent(identity) ?? false }
    }
}
