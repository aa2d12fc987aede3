import HTTP

/// What answers a request for a name of AWS: a route of the service that the name is of, and nothing else. Paths of operators
/// and of other services have no route there.
enum AWSDestination {
    case route(Route, RouteParameters)
    /// The path is the service's, but none of its routes takes the method.
    case otherMethod(Route)
    /// - Parameter bucketOfHost: The bucket that the name is of; nil where the path names it.
    case buckets(bucketOfHost: String?)
    /// The service has nothing at the path.
    case nothing(AWSHost.Role)
    /// The name is no name of this project, or not the one that the client has asked for in its TLS handshake.
    case misdirected

    /// What a request for a name of AWS is for.
    init(_ found: AWSNames.Match, _ request: Request, _ matcher: RouteTable) {
        guard case .host(let host) = found else {
            self = .misdirected
            return
        }
        switch host.role {
        case .s3: self = .buckets(bucketOfHost: nil)
        case .bucket(let name): self = .buckets(bucketOfHost: name)
        case .appSyncRealtime: self = Self.realtime(matcher.match(request))
        default:
            switch matcher.match(request) {
            case .route(let index, let parameters) where host.role.takes(request, by: Routes.table[index]):
                self = .route(Routes.table[index], parameters)
            case .wrongMethod(let resource) where host.role.has(Routes.table[resource.routes[0]]):
                self = .otherMethod(Routes.table[resource.routes[0]])
            case .route, .wrongMethod, .unknownTarget, .unknownPath: self = .nothing(host.role)
            }
        }
    }

    /// AppSync's WebSockets are opened at the path of the API, on a host of their own.
    private static func realtime(_ match: RouteTable.Match) -> AWSDestination {
        switch match {
        case .route(let index, let parameters) where Routes.table[index].endpoint is GraphQLEndpoint:
            .route(Routes.realtime, parameters)
        case .wrongMethod(let resource) where Routes.table[resource.routes[0]].endpoint is GraphQLEndpoint:
            .otherMethod(Routes.realtime)
        default: .nothing(.appSyncRealtime)
        }
    }
}

extension AWSHost.Role {
    /// Whether a route is the service's.
    fileprivate func has(_ route: Route) -> Bool {
        switch self {
        case .cognitoUserPools: route.endpoint is CognitoEndpoint || Self.isOfPool(route)
        case .cognitoIdentity, .sts: route.endpoint is CognitoEndpoint
        case .pinpoint: route.endpoint is AnalyticsEndpoint
        case .appSync: route.endpoint is GraphQLEndpoint
        case .hostedPages:
            route.endpoint is HostedPagesEndpoint || route.endpoint is WellKnownEndpoint && !Self.isOfPool(route)
        case .s3, .bucket, .appSyncRealtime: false
        }
    }

    /// Whether a request that is for a route is for an operation of the service.
    fileprivate func takes(_ request: Request, by route: Route) -> Bool {
        guard has(route) else { return false }
        guard route.endpoint is CognitoEndpoint else { return true }
        let target = request[header: "x-amz-target"]
        guard request.method == .post else { return false }
        return switch self {
        case .cognitoUserPools: target?.hasPrefix("AWSCognitoIdentityProviderService.") ?? false
        case .cognitoIdentity: target?.hasPrefix("AWSCognitoIdentityService.") ?? false
        default: target == nil
        }
    }

    /// Whether a route is a document of a pool whose id is in the path.
    private static func isOfPool(_ route: Route) -> Bool {
        route.endpoint is WellKnownEndpoint && route.path.hasPrefix("/{")
    }
}

extension Routes {
    /// The route of WebSockets.
    static let realtime: Route = {
        guard let route = table.first(where: { $0.endpoint is RealtimeEndpoint }) else {
            preconditionFailure("the table has a route of WebSockets")
        }
        return route
    }()

    /// What a request is for, if it is for a name of AWS or its client has asked for one in its TLS handshake; nil for all
    /// others. The two names must be equal, because the certificate that the client has verified is of the latter
    /// (RFC 9110 §15.5.20).
    ///
    /// - Parameters:
    ///   - isForwarded: Whether a trusted proxy has sent the request, which may ask for any name in its handshake.
    ///   - serverName: The name of AWS in the handshake.
    func awsDestination(
        of request: Request, _ names: AWSNames, isForwarded: Bool, serverName: String?
    ) -> AWSDestination? {
        let found = names.match(request)
        if request.isSecure, !isForwarded {
            let name: String? = if case .host(let host)? = found { host.name } else { nil }
            guard name == serverName else { return .misdirected }
        }
        return found.map { AWSDestination($0, request, matcher) }
    }

    /// What a request is for, by its Host alone, which decides how its body is received and the form of a refusal. Only the answer
    /// compares the name of the handshake.
    func awsDestination(of head: Request, _ services: LoopServices) -> AWSDestination? {
        guard let found = services.awsNames?.match(head) else { return nil }
        return AWSDestination(found, head, matcher)
    }

    /// How the body of such a request is received.
    func bodyReception(of destination: AWSDestination, _ services: LoopServices) -> BodyReception {
        switch destination {
        case .route(let route, _): route.bodyReception
        case .buckets: services.buckets.map { .stream(bytesMax: $0.service.bodyBytesMax) } ?? .refuse
        case .otherMethod, .nothing, .misdirected: .refuse
        }
    }

    /// What answers such a request, if anything does.
    func endpoint(of destination: AWSDestination) -> (any Endpoint)? {
        switch destination {
        case .route(let route, _), .otherMethod(let route): route.endpoint
        case .buckets: Self.ofBuckets.endpoint
        case .nothing, .misdirected: nil
        }
    }

    /// Answers a request for a name of AWS.
    func respond(
        to request: Request, at destination: AWSDestination, for client: ForwardedClient?, _ services: LoopServices,
        _ reply: Reply
    ) {
        func context(_ route: Route?) -> RequestContext {
            RequestContext(request, route, services: services, reply: reply, client: client)
        }
        switch destination {
        case .route(let route, let parameters):
            let requestContext = context(route)
            if refuseForeignSource(of: request, route, requestContext) { return }
            route.endpoint.respond(to: request, parameters, in: requestContext)
        case .otherMethod(let route): refuseMethod(of: request, route, context(route))
        case .buckets(let bucket):
            BucketEndpoint().respond(to: request, bucketOfHost: bucket, in: context(Self.ofBuckets))
        case .nothing(let role):
            switch role {
            case .cognitoUserPools, .cognitoIdentity, .sts: CognitoEndpoint.refuseOperation(in: context(nil))
            case .pinpoint: AnalyticsEndpoint.refusePath(in: context(nil))
            default: context(nil).refuse(.unknownPath)
            }
        case .misdirected: context(nil).refuse(.misdirected)
        }
    }
}

extension Problem {
    /// RFC 9110 §15.5.20.
    fileprivate static let misdirected = Problem(
        status: 421, errorType: "MisdirectedRequestException",
        message: "This server does not answer for the Host of the request, or the TLS connection is for another host.")
}
