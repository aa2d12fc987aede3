import HTTP
import JSON
import Synchronization

/// The operators' API by TCP: `/operators/v1/…`, where `console` allows it. The calls are those of `operators.sock`.
struct OperatorAPIEndpoint: Endpoint {
    let methods: [Method] = [.get, .head, .post, .put, .patch, .delete]
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.acceptsConsoleRequest(request) else { return }
        do throws(OperatorProblem) {
            guard let route = OperatorRoute.match(request) else { throw .unknownPath }
            let identity = try requestContext.operatorIdentity(of: request)
            guard identity.role >= route.role else { throw .needsRole(route.role) }
            let call = try OperatorCall(request)
            guard let endpoint = requestContext.services.state.operatorEndpoint.withLock({ $0 }) else {
                throw .notReady
            }
            let caller = OperatorCallHandler.Caller(
                name: identity.name, role: identity.role, requestID: "\(requestContext.requestID)",
                address: requestContext.peer.ipAddress)
            endpoint.carryOut(call, request.path, for: caller) { status, body in
                requestContext.loop.execute { requestContext.answerOperator(status, body) }
            }
        } catch { requestContext.refuseOperator(error, fields: error.fields) }
    }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        OperatorEndpoint.response(to: refusal, requestID: requestID)
    }
}

extension RequestContext {
    /// Whether the console is there for the client, and takes the request for where it comes from; if not, the request is
    /// answered.
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

    /// Whose credentials a request has.
    func operatorIdentity(of request: Request) throws(OperatorProblem) -> OperatorIdentity {
        guard let token = request.bearerToken else { throw .signedOut }
        guard let found = services.state.operators.operator(bearing: token) else { throw .unknownToken }
        return OperatorIdentity(name: found.name, role: found.role)
    }

    /// Answers a call of the operators' API.
    func answerOperator(_ status: Int, _ body: JSONValue) {
        answer(
            status, "application/json;charset=UTF-8", fields: [("Cache-Control", "no-store")],
            errorType: body["error"]?["code"]?.stringValue, Array(body.description.utf8))
    }
}

extension OperatorProblem {
    static let signedOut = OperatorProblem(
        code: .signedOut, message: "This path is for operators: sign in, or send 'Authorization: Bearer TOKEN'.",
        hint: "'syncline operators create NAME --role ROLE --token' makes a token.")
    static let unknownToken = OperatorProblem(
        code: .signedOut, message: "The token is not one of an operator of this server.")

    static func needsRole(_ role: OperatorRole) -> OperatorProblem {
        OperatorProblem(code: .forbidden, message: "This needs the operator role \(role.rawValue).")
    }

    /// The header lines of the answer, beside those of all.
    fileprivate var fields: [(name: String, value: String)] {
        code == .signedOut ? [("WWW-Authenticate", "Bearer")] : []
    }
}
