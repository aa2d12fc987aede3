import HTTP
import JSON
import UserPools

/// `GET /POOL/.well-known/jwks.json` and `…/openid-configuration` (reference: auth, "Hosted pages").
struct WellKnownEndpoint: Endpoint {
    enum Document: Sendable { case jsonWebKeySet, configuration }

    let document: Document

    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext) {
        guard let (service, _) = requestContext.userPools() else { return }
        guard
            let id = request.parameter("userPoolId", in: parameters)
                ?? service.pools.poolID(host: request[header: "host"] ?? "")
        else { return requestContext.refuse(.unknownPath) }
        let document = document
        let isAccepted = service.run { pools in
            let value: JSONValue? =
                switch document {
                case .jsonWebKeySet: pools.jsonWebKeySet(of: id)
                case .configuration: pools.openIDConfiguration(of: id)
                }
            requestContext.loop.execute {
                guard let value else { return requestContext.refuse(.unknownPath) }
                requestContext.answer(
                    200, "application/json", fields: [("Cache-Control", "public, max-age=300")],
                    Array(value.description.utf8))
            }
        }
        if !isAccepted { requestContext.refuse(.notReady) }
    }

    func respond(to request: Request, in requestContext: RequestContext) {
        respond(to: request, RouteParameters(), in: requestContext)
    }
}
