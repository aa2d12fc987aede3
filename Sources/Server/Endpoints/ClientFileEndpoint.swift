import Codegen
import HTTP
import JSON
import NIOPosix
import Synchronization

/// `GET /operators/v1/config-files/{name}`: the configuration file of a client, for an operator who may edit, because it
/// has keys. `url` is the server's address as the client has it.
struct ClientFileEndpoint: Endpoint {
    let allowsCORS = false

    /// Files that are made at one time; one more is refused.
    static let callsMax = 4

    func respond(to request: Request, in requestContext: RequestContext) { requestContext.refuseOperator(.unknownPath) }

    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext) {
        guard requestContext.authorizeOperatorCall(request, role: .editor) else { return }
        let call: OperatorCall
        do throws(OperatorProblem) { call = try OperatorCall(request) } catch {
            return requestContext.refuseOperator(error)
        }
        guard case .clientFile(let asked) = call else { return requestContext.refuseOperator(.unknownPath) }
        let state = requestContext.services.state
        guard let source = state.clientFiles.withLock({ $0 }) else {
            return requestContext.refuseOperator(OperatorProblem.notReady)
        }
        guard state.clientFileCalls.withLock({ $0.begin(for: nil) }) else {
            return requestContext.refuseOperator(OperatorProblem.limited)
        }
        let address = request.peer.address
        // It reads the schema.
        NIOThreadPool.singleton.submit { _ in
            let result: Result<String, OperatorProblem>
            do throws(OperatorProblem) {
                result = .success(asked.file.text(try source.members(of: asked, for: address)))
            } catch { result = .failure(error) }
            state.clientFileCalls.withLock { $0.end(for: nil) }
            requestContext.loop.execute {
                switch result {
                case .success(let text):
                    let type = asked.file == .awsExports ? "text/javascript" : "application/json"
                    requestContext.answer(
                        200, "\(type);charset=UTF-8", fields: [("Cache-Control", "no-store")], Array(text.utf8))
                case .failure(let problem): requestContext.refuseOperator(problem)
                }
            }
        }
    }
}

extension RequestContext {
    /// Whether the caller may make a call of the operators' API that needs `role`, by a token, by a session of the console or, in
    /// `dev`, as a program of this machine; if not, the request is answered.
    func authorizeOperatorCall(_ request: Request, role: OperatorRole) -> Bool {
        if request.bearerToken == nil, let route = OperatorRoute.match(request), hasConsoleSession(request) {
            guard acceptsConsoleRequest(request) else { return false }
            do throws(OperatorProblem) {
                _ = try operatorCaller(of: request, for: route)
                return true
            } catch {
                refuseOperator(error)
                return false
            }
        }
        guard let refusal = operatorRefusal(of: request, role: role) else { return true }
        refuseOperator(
            OperatorProblem(code: refusal.status == 401 ? .signedOut : .forbidden, message: refusal.message))
        return false
    }

    /// Answers with an error of the operators' API. It has a name of its own: both kinds of problems have a `notReady`.
    func refuseOperator(_ problem: OperatorProblem) {
        answer(
            problem.status, "application/json;charset=UTF-8", fields: problem.fields + [("Cache-Control", "no-store")],
            errorType: problem.code.rawValue, Array(problem.body(requestID: "\(requestID)").description.utf8))
    }
}
