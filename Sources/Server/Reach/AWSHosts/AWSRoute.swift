import HTTP

/// What answers a request for an AWS hostname: a route of its service, and nothing else. Paths of operators
/// and of other services have no route there.
enum AWSRoute {
    case route(Route, RouteParameters)
    /// The path is the service's, but none of its routes takes the method.
    case otherMethod(Route)
    /// - Parameter bucketOfHost: The bucket that the name is of; nil where the path names it.
    case buckets(bucketOfHost: String?)
    /// The service has nothing at the path.
    case nothing(AWSHost.Service)
    /// The name is no name of this project, or not the one that the client has asked for in its TLS handshake.
    case misdirected

    /// What a request for an AWS hostname is for.
    init(_ hostMatch: AWSNames.HostMatch, _ request: Request, _ matcher: RouteTable) {
        guard case .host(let host) = hostMatch else {
            self = .misdirected
            return
        }
        switch host.service {
        case .s3: self = .buckets(bucketOfHost: nil)
        case .bucket(let name): self = .buckets(bucketOfHost: name)
        case .appSyncRealtime: self = Self.realtime(matcher.match(request))
        default:
            switch matcher.match(request) {
            case .route(let index, let parameters) where host.service.takes(request, by: Routes.table[index]):
                self = .route(Routes.table[index], parameters)
            case .wrongMethod(let resource) where host.service.has(Routes.table[resource.routes[0]]):
                self = .otherMethod(Routes.table[resource.routes[0]])
            case .route, .wrongMethod, .unknownTarget, .unknownPath: self = .nothing(host.service)
            }
        }
    }

    /// AppSync's WebSockets are opened at the path of the API, on a host of their own.
    private static func realtime(_ match: RouteTable.Match) -> AWSRoute {
        switch match {
        case .route(let index, let parameters) where Routes.table[index].endpoint is GraphQLEndpoint:
            .route(Routes.realtime, parameters)
        case .wrongMethod(let resource) where Routes.table[resource.routes[0]].endpoint is GraphQLEndpoint:
            .otherMethod(Routes.realtime)
        default: .nothing(.appSyncRealtime)
        }
    }
}

extension AWSHost.Service {
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
