import API
import HTTP
import JSON

/// `DELETE /clear-data`: deletes every item of every model, as Amplify's mock does. Only `syncline dev` has it.
struct ClearDataEndpoint: Endpoint {
    let methods: [Method] = [.delete]
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.services.state.mode == .dev else { return requestContext.refuse(.devOnly) }
        guard requestContext.authorizeOperator(request, role: .editor) else { return }
        guard let context = requestContext.services.context, let servedAPI = requestContext.services.servedAPI else {
            return requestContext.refuse(.notReady)
        }
        servedAPI.api.clear(on: context) { result in
            switch result {
            case .success(let models):
                requestContext.services.state.log(
                    .notice, "All items were deleted.", ["requestID": "\(requestContext.requestID)"])
                let names = JSONValue.array(models.map(JSONValue.string))
                let message = JSONValue.object(["message": .string("Successfully deleted \(names) tables")])
                requestContext.answer("application/json;charset=UTF-8", Array(message.description.utf8))
            case .failure(let error): requestContext.refuse(.notCleared, cause: "\(error)")
            }
        }
    }
}
