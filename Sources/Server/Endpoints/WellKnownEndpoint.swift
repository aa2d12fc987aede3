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
        if document == .jsonWebKeySet, let ready = service.pools.readyJSONWebKeySetBytes(of: id) {
            return Self.answer(ready, requestContext)
        }
        let document = document
        let names = requestContext.awsName(of: request) == nil ? nil : requestContext.services.awsNames
        let isAccepted = service.run(for: requestContext.peer.network) { pools in
            let body: [UInt8]? =
                switch document {
                case .jsonWebKeySet: await pools.jsonWebKeySetBytes(of: id)
                case .configuration:
                    pools.openIDConfiguration(
                        of: id, pagesURL: names?.pagesURL(of: id), keysURL: names?.keysURL(of: id)
                    ).map { Array($0.description.utf8) }
                }
            requestContext.loop.execute {
                guard let body else { return requestContext.refuse(.unknownPath) }
                Self.answer(body, requestContext)
            }
        }
        if !isAccepted { requestContext.refuse(.notReady) }
    }

    private static func answer(_ body: [UInt8], _ requestContext: RequestContext) {
        requestContext.answer(200, "application/json", fields: [("Cache-Control", "public, max-age=300")], body)
    }

    func respond(to request: Request, in requestContext: RequestContext) {
        respond(to: request, RouteParameters(), in: requestContext)
    }
}
