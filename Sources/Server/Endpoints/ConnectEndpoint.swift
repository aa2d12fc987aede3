import HTTP
import JSON
import Synchronization

/// `GET /operators/v1/connect`: how an app is connected to this server, for an operator. It has no secrets.
struct ConnectEndpoint: Endpoint {
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.authorizeOperatorCall(request, role: .viewer) else { return }
        do throws(OperatorProblem) {
            guard case .connect(let asked) = try OperatorCall(request) else { throw .unknownPath }
            guard let source = requestContext.services.state.clientFiles.withLock({ $0 }) else { throw .notReady }
            requestContext.answer(
                200, "application/json;charset=UTF-8", fields: [("Cache-Control", "no-store")],
                Array(JSONValue.object(try source.steps(asked)).description.utf8))
        } catch { requestContext.refuseOperator(error) }
    }
}
