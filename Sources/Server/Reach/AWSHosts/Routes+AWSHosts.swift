import HTTP

extension Routes {
    /// The route of WebSockets.
    static let realtime: Route = {
        guard let route = table.first(where: { $0.endpoint is RealtimeEndpoint }) else {
            preconditionFailure("the table has a route of WebSockets")
        }
        return route
    }()

    /// The route of a request for an AWS hostname, or of a client that has asked for one in its TLS handshake; nil for all others.
    ///
    /// The two names must be equal, because the certificate that the client has verified is for the latter (RFC 9110 §15.5.20), and
    /// because `syncline proxy` connects clients of other machines from this one: they must not get what local programs get by the
    /// server's own names. Without AWS hostnames here, these are hosts like any other, but still must be equal.
    ///
    /// - Parameters:
    ///   - names: Nil if none are served.
    ///   - isForwarded: Whether a trusted proxy has sent the request, which may ask for any name in its handshake.
    ///   - serverName: The AWS hostname in the handshake, whether or not it is one of `names`.
    func awsRoute(
        of request: Request, _ names: AWSNames?, isForwarded: Bool, serverName: String?
    ) -> AWSRoute? {
        guard let names else {
            guard let serverName, request.isSecure, !isForwarded else { return nil }
            return request.hostName == serverName ? nil : .misdirected
        }
        let hostMatch = names.hostMatch(request)
        if request.isSecure, !isForwarded {
            let name: String? = if case .host(let host)? = hostMatch { host.name } else { nil }
            guard name == serverName else { return .misdirected }
        }
        return hostMatch.map { AWSRoute($0, request, matcher) }
    }

    /// The route by `Host` only, to choose how to receive the body and the form of a refusal. `respond` compares SNI and
    /// `Host` afterwards.
    func awsRoute(forHostOf head: Request, _ services: LoopServices) -> AWSRoute? {
        guard let hostMatch = services.awsNames?.hostMatch(head) else { return nil }
        return AWSRoute(hostMatch, head, matcher)
    }

    /// How the body of such a request is received.
    func bodyReception(of route: AWSRoute, _ services: LoopServices) -> BodyReception {
        switch route {
        case .route(let route, _): route.bodyReception
        case .buckets: services.buckets.map { .stream(bytesMax: $0.service.bodyBytesMax) } ?? .refuse
        case .otherMethod, .nothing, .misdirected: .refuse
        }
    }

    /// What answers such a request, if anything does.
    func endpoint(of route: AWSRoute) -> (any Endpoint)? {
        switch route {
        case .route(let route, _), .otherMethod(let route): route.endpoint
        case .buckets: Self.bucketRoute.endpoint
        case .nothing, .misdirected: nil
        }
    }

    /// Answers a request for an AWS hostname.
    func respond(
        to request: Request, at route: AWSRoute, for client: ForwardedClient?, _ services: LoopServices,
        _ reply: Reply
    ) {
        func context(_ route: Route?) -> RequestContext {
            RequestContext(request, route, services: services, reply: reply, client: client)
        }
        switch route {
        case .route(let route, let parameters):
            let requestContext = context(route)
            if refuseForeignSource(of: request, route, requestContext) { return }
            route.endpoint.respond(to: request, parameters, in: requestContext)
        case .otherMethod(let route): refuseMethod(of: request, route, context(route))
        case .buckets(let bucket):
            BucketEndpoint().respond(to: request, bucketOfHost: bucket, in: context(Self.bucketRoute))
        case .nothing(let service):
            switch service {
            case .cognitoUserPools, .cognitoIdentity, .sts: CognitoEndpoint.refuseOperation(in: context(nil))
            case .pinpoint: AnalyticsEndpoint.refusePath(in: context(nil))
            default: context(nil).refuse(.unknownPath)
            }
        case .misdirected: context(nil).refuse(.misdirected)
        }
    }
}

extension Request {
    /// The name of `Host`, in lower case, without a port.
    fileprivate var hostName: String? {
        unsafe withHeader(.host) { bytes in
            guard let bytes = unsafe bytes, let host = unsafe HostPort(bytes[...]) else { return nil }
            return host.lowercasedName
        }
    }
}

extension Problem {
    /// RFC 9110 §15.5.20.
    fileprivate static let misdirected = Problem(
        status: 421, errorType: "MisdirectedRequestException",
        message: "This server does not serve the Host of the request, or the TLS connection is for another host.")
}
