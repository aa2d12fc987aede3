import HTTP
import UserPools

/// A path of the hosted pages or of OAuth 2.0 (reference: auth, "Hosted pages"). The source of a request is not checked: people
/// reach the pages by any name of this machine, browsers send forms of pages without referrer with `Origin: null`, and
/// what keeps foreign forms out is the token in each form.
struct HostedPagesEndpoint: Endpoint {
    let methods: [Method]
    /// Whether pages of other origins may read the answer: they ask for tokens, and never for pages.
    let allowsCORS: Bool
    let bodyReception = BodyReception.collect(bytesMax: 64 << 10)

    /// The routes.
    static let routes: [(RoutePattern, any Endpoint)] = UserPools.hostedPaths.sorted { $0.key < $1.key }.map {
        path, methods in
        let endpoint = HostedPagesEndpoint(
            methods: methods.flatMap { $0 == "GET" ? [Method.get, .head] : [Method.post] },
            allowsCORS: !["/oauth2/authorize", "/oauth2/idpresponse"].contains(path) && path.hasPrefix("/oauth2/"))
        return (RoutePattern(path), endpoint)
    }

    func respond(to request: Request, in requestContext: RequestContext) {
        guard let (service, _) = requestContext.userPools() else { return }
        let body = unsafe request.withBody { unsafe [UInt8]($0) }
        let query = request.query ?? ""
        // A code of the token endpoint may have a plus sign, which amplify-swift does not escape.
        let form = FormParameters(body, plusIsSpace: request.path != "/oauth2/token")
        let awsName = requestContext.awsName(of: request)
        let host = awsName ?? request[header: "host"] ?? "localhost"
        let isSecure =
            requestContext.isSecure(request) || service.pools.publicURL == "https://\(host.lowercased())"
        let hosted = HostedRequest(
            method: request.method == .post ? "POST" : "GET", path: request.path, query: query,
            parameters: FormParameters(query).dictionary, form: form.dictionary,
            cookies: Self.cookies(request[header: "cookie"] ?? ""), authorization: request[header: "authorization"],
            isSecure: isSecure, isOwnHost: awsName != nil,
            caller: Caller(
                address: requestContext.peer.address, network: requestContext.peer.network, accessKeyID: nil,
                requestID: "\(requestContext.requestID)",
                baseURL: "\(isSecure ? "https" : "http")://\(host)"))
        let isAccepted = service.run(for: hosted.caller.network) { pools in
            let response = await pools.respond(to: hosted)
            requestContext.loop.execute {
                requestContext.answer(
                    response.status, response.contentType ?? "text/plain", fields: response.fields, response.body)
            }
        }
        if !isAccepted { requestContext.refuse(.notReady) }
    }

    private static func cookies(_ header: String) -> [String: String] {
        var cookies: [String: String] = [:]
        for part in header.split(separator: ";").prefix(50) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let name = String(pair[0].drop { $0 == " " })
            if cookies[name] == nil { cookies[name] = String(pair[1]) }
        }
        return cookies
    }
}
