import HTTP
import Synchronization

/// The routes of the product, each with what answers it.
final class Routes: Responder {
    static let table: [Route] =
        (HostedPagesEndpoint.routes + AnalyticsEndpoint.routes + [
            ("/graphql" as RoutePattern, GraphQLEndpoint() as any Endpoint), ("/graphql/realtime", RealtimeEndpoint()),
            ("/ping", ProbeEndpoint.ping), ("/health", ProbeEndpoint.health), ("/ready", ProbeEndpoint.ready),
            ("/schema.graphql", SchemaEndpoint.sdl), ("/schema.json", SchemaEndpoint.introspection),
            ("/api-config", APIConfigEndpoint()), ("/clear-data", ClearDataEndpoint()), ("/metrics", MetricsEndpoint()),
            ("/operators/v1/config-files/{name}", ClientFileEndpoint()), ("/operators/v1/connect", ConnectEndpoint()),
            ("/operators/v1/{path...}", OperatorAPIEndpoint()),
            ("/console", ConsoleEndpoint.redirection), ("/console/", ConsoleEndpoint.page),
            ("/console/{path...}", ConsoleEndpoint.page), ("/_/", ConsoleEndpoint.redirection),
            ("/", CognitoEndpoint()),
            ("/{userPoolId}/.well-known/jwks.json", WellKnownEndpoint(document: .jsonWebKeySet)),
            ("/{userPoolId}/.well-known/openid-configuration", WellKnownEndpoint(document: .configuration)),
            ("/.well-known/jwks.json", WellKnownEndpoint(document: .jsonWebKeySet)),
            ("/.well-known/openid-configuration", WellKnownEndpoint(document: .configuration)),
        ]).enumerated().map { Route(index: $0, pattern: $1.0, endpoint: $1.1) }

    /// The route of buckets: all requests to a bucket's host, and those that no other route matches.
    static let bucketRoute = Route(index: table.count, pattern: "/{bucket}/{key...}", endpoint: BucketEndpoint())
    /// The route of `/`, which is ListBuckets if the request is signed for S3.
    private static let root = table.firstIndex { $0.pattern.path == "/" }
    /// The routes of the console. A bucket may have a name that these paths begin with.
    private static let consoleRoutes = Set(
        table.filter { $0.endpoint is OperatorAPIEndpoint || $0.endpoint is ConsoleEndpoint }.map(\.index))

    /// The routes of a pool's documents by path. A bucket may have objects with these keys, and no pool has a bucket's name, because
    /// the id of each has an underscore.
    private static let poolRoutes = Set(
        table.filter { $0.endpoint is WellKnownEndpoint && $0.pattern.path.hasPrefix("/{") }.map(\.index))

    /// The routes at the address of `console.listen`.
    private static let operatorRoutes = consoleRoutes.union(
        table.filter { $0.endpoint is ClientFileEndpoint || $0.endpoint is ConnectEndpoint }.map(\.index))

    /// One per event loop, by the loop's index.
    private let loopServices: [LoopServices]
    private let routes = Routes.table
    let matcher = RouteTable(Routes.table.map { ($0.pattern, $0.endpoint.methods) })

    init(loopServices: [LoopServices]) { self.loopServices = loopServices }

    func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception {
        if head.peer.localUser != nil {
            guard Self.isForBuckets(head), let buckets = loopServices[loop.index].buckets else {
                return OperatorRoute.bodyReception(for: head)
            }
            return .stream(bytesMax: buckets.service.bodyBytesMax)
        }
        if head.isToBeRedirected {
            let client = loopServices[loop.index].servedAPI?.trustedProxies.client(of: head)
            if isToBeRedirected(head, for: client) { return .refuse }
        }
        if head.isForOperators { return .collect() }
        if let route = awsRoute(forHostOf: head, loopServices[loop.index]) {
            return bodyReception(of: route, loopServices[loop.index])
        }
        let match = matcher.match(head)
        if let target = bucketTarget(of: head, match, loopServices[loop.index]) {
            return .stream(bytesMax: target.buckets.service.bodyBytesMax)
        }
        guard case .route(let index, _) = match else { return .collect() }
        if routes[index].endpoint is OperatorAPIEndpoint {
            return OperatorAPIEndpoint.bodyReception(for: head, loopServices[loop.index])
        }
        return routes[index].bodyReception
    }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        if let user = request.peer.localUser { return respond(to: request, from: user, on: loop, reply: reply) }
        let services = loopServices[loop.index]
        guard let client = services.servedAPI?.trustedProxies.client(of: request) else {
            if request.isToBeRedirected { return redirect(request, for: nil, services, reply) }
            return respond(to: request, for: nil, services, reply)
        }
        let forwarded = request.forwarded(for: client)
        if isToBeRedirected(request, for: client) {
            return redirect(forwarded, for: ForwardedClient(client), services, reply)
        }
        respond(to: forwarded, for: ForwardedClient(client), services, reply)
    }

    /// - Parameter client: The client for whom a trusted proxy has forwarded the request.
    private func respond(
        to request: Request, for client: ForwardedClient?, _ services: LoopServices, _ reply: Reply
    ) {
        if request.isForOperators { return respond(toOperator: request, for: client, services, reply) }
        if services.awsNames != nil || request.isSecure,
            let route = awsRoute(
                of: request, services.awsNames, isForwarded: client != nil, serverName: reply.serverName)
        {
            return respond(to: request, at: route, for: client, services, reply)
        }
        let match = matcher.match(request)
        if let target = bucketTarget(of: request, match, services) {
            let requestContext = RequestContext(
                request, Self.bucketRoute, services: services, reply: reply, client: client)
            return BucketEndpoint().respond(to: request, bucketOfHost: target.bucketOfHost, in: requestContext)
        }
        switch consume match {
        case .route(let index, let parameters):
            let route = routes[index]
            let requestContext = RequestContext(request, route, services: services, reply: reply, client: client)
            if refuseForeignSource(of: request, route, requestContext) { return }
            route.endpoint.respond(to: request, parameters, in: requestContext)
        case .wrongMethod(let resource), .unknownTarget(let resource):
            let route = routes[resource.routes[0]]
            refuseMethod(
                of: request, route,
                RequestContext(request, route, services: services, reply: reply, client: client))
        case .unknownPath:
            RequestContext(request, nil, services: services, reply: reply, client: client).refuse(.unknownPath)
        }
    }

    /// Answers a request at the address of `console.listen`: the console and the operators' API alone.
    private func respond(
        toOperator request: Request, for client: ForwardedClient?, _ services: LoopServices, _ reply: Reply
    ) {
        func context(_ route: Route?) -> RequestContext {
            RequestContext(request, route, services: services, reply: reply, client: client)
        }
        let match = matcher.match(request)
        switch consume match {
        case .route(let index, let parameters) where Self.operatorRoutes.contains(index):
            routes[index].endpoint.respond(to: request, parameters, in: context(routes[index]))
        case .route(let index, _) where index == Self.root:
            ConsoleEndpoint.redirection.respond(to: request, in: context(routes[index]))
        case .wrongMethod(let resource) where Self.operatorRoutes.contains(resource.routes[0]):
            refuseMethod(of: request, routes[resource.routes[0]], context(routes[resource.routes[0]]))
        default: context(nil).refuse(.unknownPath)
        }
    }

    /// The buckets, if they answer a request: by its host, which names a bucket then, or, where no other route takes it, by its
    /// path or signature.
    private func bucketTarget(
        of request: Request, _ match: RouteTable.Match, _ services: LoopServices
    ) -> (buckets: LoopBuckets, bucketOfHost: String?)? {
        guard let buckets = services.buckets else { return nil }
        if let bucket = buckets.bucketOfHost(request) { return (buckets, bucket) }
        switch match {
        case .unknownPath: return buckets.claim(request) ? (buckets, nil) : nil
        case .route(let index, _) where index == Self.root && request.method == .get:
            return LoopBuckets.isSignedForS3(request) ? (buckets, nil) : nil
        case .route(let index, _) where Self.poolRoutes.contains(index):
            return buckets.claim(request) ? (buckets, nil) : nil
        case .wrongMethod(let resource) where Self.poolRoutes.contains(resource.routes[0]):
            return buckets.claim(request) ? (buckets, nil) : nil
        case .route(let index, _) where Self.consoleRoutes.contains(index):
            return isLeftToBuckets(request, services) && buckets.claim(request) ? (buckets, nil) : nil
        case .wrongMethod(let resource) where Self.consoleRoutes.contains(resource.routes[0]):
            return isLeftToBuckets(request, services) && buckets.claim(request) ? (buckets, nil) : nil
        default: return nil
        }
    }

    /// Whether buckets answer a path of the console: the console is not served to the client, or the request is signed for S3.
    private func isLeftToBuckets(_ request: Request, _ services: LoopServices) -> Bool {
        let isServed = services.servedAPI?.console.isServed(to: request, in: services.state.mode) ?? false
        return !isServed || LoopBuckets.isSignedForS3(request)
    }

    /// Answers a preflight, and refuses every other request whose method no route of its path has.
    func refuseMethod(of request: Request, _ route: Route, _ requestContext: RequestContext) {
        if refuseForeignSource(of: request, route, requestContext) { return }
        // Whether there is a console is not disclosed to pages of other hosts either.
        if Self.consoleRoutes.contains(route.index), !requestContext.acceptsConsoleRequest(request) { return }
        if request.method == .options { return requestContext.answerPreflight(request, of: route) }
        requestContext.refuse(.wrongMethod, fields: [("Allow", route.allowedMethods)])
    }

    /// Refuses a request whose `Host` or `Origin` the `RequestSourcePolicy` does not accept for the route.
    ///
    /// - Returns: Whether it was refused.
    func refuseForeignSource(of request: Request, _ route: Route, _ requestContext: RequestContext) -> Bool {
        guard route.checksSource, let problem = requestContext.services.servedAPI?.sourcePolicy.problem(of: request)
        else {
            return false
        }
        requestContext.refuse(problem, foreign: request)
        return true
    }

    /// A refusal in the form of the endpoint that the request is for, or else in AppSync's: the error type in a header and in
    /// the body. On `operators.sock`, in the form of the operators' API.
    func response(
        to refusal: Refusal, head: Request?, peer: Peer, requestID: RequestID, on loop: EventLoop
    ) -> Response {
        if peer.localUser != nil { return OperatorEndpoint.response(to: refusal, requestID: requestID) }
        let services = loopServices[loop.index]
        let headers = services.templates.refused
        if let head,
            let response = endpoint(of: head, services)?
                .response(to: refusal, head: head, requestID: requestID, services)
        {
            return response
        }
        let problem = Problem(refusal)
        var fields = [(name: "x-amzn-ErrorType", value: problem.errorType)]
        if refusal.status == 503 { fields.append(("Retry-After", "1")) }
        return Response(
            status: refusal.status, headers: headers, fields: fields,
            body: problem.body)
    }

    /// The endpoint at a request's path, also if it does not have the request's method.
    private func endpoint(of head: Request, _ services: LoopServices) -> (any Endpoint)? {
        if let route = awsRoute(forHostOf: head, services) { return endpoint(of: route) }
        let match = matcher.match(head)
        if bucketTarget(of: head, match, services) != nil { return Self.bucketRoute.endpoint }
        return switch match {
        case .route(let index, _): routes[index].endpoint
        case .wrongMethod(let resource), .unknownTarget(let resource): routes[resource.routes[0]].endpoint
        case .unknownPath: nil
        }
    }

    func noteRefusal(_ refusal: Refusal, requestID: RequestID, peer: Peer, on loop: EventLoop) {
        loopServices[loop.index].state.noteRefusal(Problem(refusal), requestID: requestID, peer: peer, on: loop)
    }

    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {
        loopServices[loop.index].state.noteHandshake(failure: failure, peer: peer)
    }

    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {
        loopServices[loop.index].state.noteShortage(shortage, clientCount: clientCount)
    }

    /// Whether a request by the operators' socket is one of S3.
    private static func isForBuckets(_ request: Request) -> Bool {
        request.path.hasPrefix(FilesClient.socketPath + "/")
    }

    /// Answers a request on the operators' socket: the operators' API and, below one of its paths, that of S3.
    private func respond(to request: Request, from user: UInt32, on loop: EventLoop, reply: Reply) {
        if Self.isForBuckets(request) {
            let services = loopServices[loop.index]
            guard services.buckets != nil else {
                let isStarting = services.state.buckets.withLock { $0 } != nil
                return OperatorEndpoint.refuse(isStarting ? .notReady : .noBuckets, loop.makeRequestID(), reply)
            }
            let requestContext = RequestContext(request, Self.bucketRoute, services: services, reply: reply)
            return BucketEndpoint().respond(to: request, from: user, in: requestContext)
        }
        guard let endpoint = loopServices[loop.index].state.operatorEndpoint.withLock({ $0 }) else {
            return OperatorEndpoint.refuse(.notReady, loop.makeRequestID(), reply)
        }
        endpoint.respond(to: request, from: user, on: loop, reply: reply)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of the text.
    func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // Both are as long. `elementsEqual` took 30 instructions a byte.
        let text = unsafe text.utf8Start
        for index in indices where unsafe self[index] != text[index] { return false }
        return true
    }
}
