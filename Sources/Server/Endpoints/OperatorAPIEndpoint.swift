import HTTP
import JSON
import Synchronization

/// The operators' API by TCP: `/operators/v1/…`, where `console` allows it. The calls are those of `operators.sock`.
struct OperatorAPIEndpoint: Endpoint {
    let methods: [Method] = [.get, .head, .post, .put, .patch, .delete]
    let allowsCORS = false

    /// How a body is received. Only callers who have proved who they are may send a large one; the others' are refused when they
    /// are small as well, and their role is checked when the request is whole.
    static func bodyReception(for head: Request, _ services: LoopServices) -> BodyReception {
        let reception = OperatorRoute.bodyReception(for: head)
        guard reception != .collect() else { return reception }
        if let token = head.bearerToken {
            return services.state.operators.operator(bearing: token) == nil ? .collect() : reception
        }
        guard let sessions = services.state.consoleSessions.withLock({ $0 }) else { return .collect() }
        // Whether the client of a proxy speaks TLS is not known yet, and the name of the cookie may depend on it.
        let isKnown = [true, false].contains { isSecure in
            ConsoleBrowser(head, peer: head.peer, isSecure: isSecure).secret.flatMap(sessions.session) != nil
        }
        return isKnown ? reception : .collect()
    }

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.acceptsConsoleRequest(request) else { return }
        do throws(OperatorProblem) {
            guard let route = OperatorRoute.match(request) else { throw .unknownPath }
            let caller = try requestContext.operatorCaller(of: request, for: route)
            if route.isLiveChannel { return try requestContext.openLiveChannel(request, for: caller) }
            if route.isGraphQLSocket { return try requestContext.openGraphQLSocket(request, for: caller) }
            let call = try OperatorCall(request)
            guard let endpoint = requestContext.services.state.operatorEndpoint.withLock({ $0 }) else {
                throw .notReady
            }
            endpoint.carryOut(
                call, request.path, for: caller, hasLeft: { requestContext.hasClientLeft }
            ) { answer in
                requestContext.loop.execute { requestContext.answerOperator(answer) }
            }
        } catch { requestContext.refuseOperator(error) }
    }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        OperatorEndpoint.response(to: refusal, requestID: requestID)
    }
}

extension RequestContext {
    /// Whether the console is served to the client, and accepts where the request comes from; if not, the request is answered.
    func acceptsConsoleRequest(_ request: Request) -> Bool {
        guard let console = services.servedAPI?.console else {
            refuse(.notReady)
            return false
        }
        guard console.isServed(to: request, in: services.state.mode) else {
            refuse(.unknownPath)
            return false
        }
        guard let problem = console.problem(of: request, isSecure: isSecure(request)) else { return true }
        refuseOperator(problem)
        return false
    }

    /// Authenticates the caller of a route, by a token or by a browser's session, and checks the role.
    func operatorCaller(
        of request: Request, for route: OperatorRoute
    ) throws(OperatorProblem) -> OperatorCallHandler.Caller {
        var browser = ConsoleBrowser(request, peer: peer, isSecure: isSecure(request))
        let identity: OperatorIdentity
        if let token = request.bearerToken {
            guard let found = services.state.operators.operator(bearing: token) else { throw .unknownToken }
            (identity, browser.secret) = (OperatorIdentity(found), nil)
        } else {
            let sessions = services.state.consoleSessions.withLock { $0 }
            if let secret = browser.secret { browser.session = sessions?.session(secret) }
            guard let session = browser.session else {
                guard route.role == nil else { throw .signedOut }
                try Self.checkContentType(of: request, for: route)
                return caller(.init(name: "", role: .viewer), browser)
            }
            try Self.checkPage(of: request, browser, route)
            identity = session.person
        }
        if let role = route.role, identity.role < role { throw .needsRole(role) }
        return caller(identity, browser)
    }

    /// Whether a request has the cookie of a session, which may have ended.
    func hasConsoleSession(_ request: Request) -> Bool {
        ConsoleBrowser(request, peer: peer, isSecure: isSecure(request)).secret != nil
    }

    private func caller(_ identity: OperatorIdentity, _ browser: ConsoleBrowser) -> OperatorCallHandler.Caller {
        OperatorCallHandler.Caller(
            name: identity.name, role: identity.role, requestID: "\(requestID)", address: peer.ipAddress,
            browser: browser)
    }

    /// Refuses a request with a session's cookie if it may change something and does not prove that it comes from a page of this
    /// origin: it lacks the secret that only such pages can read.
    private static func checkPage(
        of request: Request, _ browser: ConsoleBrowser, _ route: OperatorRoute
    ) throws(OperatorProblem) {
        guard request.method != .get, request.method != .head else { return }
        try checkContentType(of: request, for: route)
        // A page that signs in again has a new link, but not the secret of the session that is replaced.
        guard route.role != nil else { return }
        let given = request[header: "x-syncline-csrf"] ?? ""
        guard let secret = browser.secret, secret.isCSRF(given) else { throw .noCSRF }
    }

    /// A form of another site can send no JSON.
    private static func checkContentType(of request: Request, for route: OperatorRoute) throws(OperatorProblem) {
        // The secret of the session in a header of its own is what a form cannot send either.
        guard !route.takesFiles else { return }
        guard request.bodyCount > 0 || request.method == .post else { return }
        let type = request[header: "content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/json" else { throw .contentType }
    }

    /// Answers a call of the operators' API.
    func answerOperator(_ answer: OperatorAnswer) {
        if let content = answer.content {
            return self.answer(
                answer.status, answer.contentType, fields: answer.fields + [("Cache-Control", "no-store")], content)
        }
        self.answer(
            answer.status, answer.contentType, fields: answer.fields + [("Cache-Control", "no-store")],
            errorType: answer.body["error"]?["code"]?.stringValue,
            answer.bytes ?? Array(answer.body.description.utf8))
    }
}

extension OperatorProblem {
    static let signedOut = OperatorProblem(
        code: .signedOut, message: "This path is for operators: sign in, or send 'Authorization: Bearer TOKEN'.",
        hint: "'syncline console' prints a link to sign in by; "
            + "'syncline operators create NAME --role ROLE --token' makes a token.")
    static let unknownToken = OperatorProblem(
        code: .signedOut, message: "The token does not belong to an operator of this server.")
    static let noCSRF = OperatorProblem(
        code: .forbidden, message: "The request lacks the x-syncline-csrf of its session.",
        hint: "GET \(OperatorRoute.base)session returns it.")
    static let contentType = OperatorProblem(
        code: .invalid, message: "The Content-Type must be application/json.", field: "content-type")

    static func needsRole(_ role: OperatorRole) -> OperatorProblem {
        OperatorProblem(code: .forbidden, message: "This needs the operator role \(role.rawValue).")
    }
}
