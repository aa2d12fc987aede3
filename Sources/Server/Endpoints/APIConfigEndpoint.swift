import HTTP

/// `GET /api-config`: how the API is reached, as Amplify's mock reports it to its console.
struct APIConfigEndpoint: Endpoint {
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.authorizeOperator(request, role: .viewer) else { return }
        guard let servedAPI = requestContext.services.servedAPI else { return requestContext.refuse(.notReady) }
        requestContext.answer("application/json;charset=UTF-8", servedAPI.apiConfig)
    }
}
