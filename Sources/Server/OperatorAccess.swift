import HTTP

/// Access to the paths for operators: the store as a whole, the configuration, the counters.
///
/// An operator's token, in `Authorization: Bearer …`, is the proof. In `syncline dev` a program on this machine needs
/// none: the user who runs it could read the data folder as well. A web page's request and a proxied one also come from this
/// machine, but do not count as local: a browser's request has the page's `Origin`, a rebound `Host` or
/// `Sec-Fetch-Site: cross-site`; a proxied one has forwarding headers. An API key, which every copy of an application
/// contains, gives no access here.
extension RequestContext {
    /// Whether the caller may do what needs `role`; if not, the request is answered.
    func authorizeOperator(_ request: Request, role: OperatorRole) -> Bool {
        guard let problem = operatorRefusal(of: request, role: role) else { return true }
        refuse(problem, fields: problem.status == 401 ? [("WWW-Authenticate", "Bearer")] : [])
        return false
    }

    /// Why the caller may not do what needs `role`; nil where that is allowed.
    func operatorRefusal(of request: Request, role: OperatorRole) -> Problem? {
        if let token = request.bearerToken {
            guard let caller = services.state.operators.operator(bearing: token) else { return .unknownOperator }
            return caller.role >= role ? nil : .needsRole(role)
        }
        guard services.state.mode == .dev else { return .operatorOnly(role) }
        return request.isLocal ? nil : .foreignOperator(role)
    }

    /// Whether the caller may read the schema: a program on this machine, or a caller with the API key; if not, the
    /// request is answered.
    func authorizeReader(_ request: Request) -> Bool {
        if request.isLocal { return true }
        guard unsafe request.withHeader(.apiKey, { unsafe $0 != nil }),
            let authenticator = services.servedAPI?.authenticator
        else {
            refuse(.foreignCaller)
            return false
        }
        switch authenticator.authenticate(request) {
        case .decided(.identity): return true
        case .decided(.refused(let refusal)): refuse(refusal.problem)
        // With a key it is known at once; who also has a signature that takes time is no reader of the schema.
        case .pending: refuse(.foreignCaller)
        }
        return false
    }
}

extension Request {
    /// Whether the request was made on this machine and by no page of another site.
    var isLocal: Bool {
        guard peer.isLoopback,
            unsafe withHeader(.host, { unsafe $0.flatMap { unsafe HostPort($0[...]) }?.isLoopback ?? false }),
            let host = self[header: "host"]
        else { return false }
        return !isForwarded && isOfOrigin(host) && isOfSite
    }

    /// The token after `Bearer`; nil for another scheme.
    var bearerToken: [UInt8]? {
        unsafe withHeader(.authorization) { header in unsafe header?.bearerToken.map { unsafe [UInt8]($0) } }
    }

    /// RFC 6454 §7.3: the origin that a browser's page comes from. Only this server's own counts as none.
    private func isOfOrigin(_ host: String) -> Bool {
        guard let origin = self[header: "origin"]?.lowercased() else { return true }
        return origin == "http://\(host.lowercased())" || origin == "https://\(host.lowercased())"
    }

    /// W3C, "Fetch Metadata Request Headers", "The Sec-Fetch-Site HTTP Request Header": what a browser says of a
    /// request that bears no Origin.
    private var isOfSite: Bool {
        guard let site = self[header: "sec-fetch-site"] else { return true }
        return site == "same-origin" || site == "none"
    }
}

extension Problem {
    private static func howToCreate(_ role: OperatorRole) -> String {
        "'syncline operators create NAME --role \(role.rawValue) --token' makes one."
    }

    static func operatorOnly(_ role: OperatorRole) -> Problem {
        Problem(
            status: 401, errorType: "UnauthorizedException",
            message: "This path is for operators: send 'Authorization: Bearer TOKEN'. \(howToCreate(role))")
    }

    static func foreignOperator(_ role: OperatorRole) -> Problem {
        Problem(
            status: 403, errorType: "AccessDeniedException",
            message:
                "This path answers programs on the server's own machine, or an operator with a token. "
                + howToCreate(role))
    }

    static let unknownOperator = Problem(
        status: 401, errorType: "UnauthorizedException", message: "The token is not one of an operator of this server.")
    static let foreignCaller = Problem(
        status: 403, errorType: "AccessDeniedException",
        message: "This path answers programs on the server's own machine, or a caller with the API key in x-api-key.")

    static func needsRole(_ role: OperatorRole) -> Problem {
        Problem(
            status: 403, errorType: "AccessDeniedException",
            message: "This needs the operator role \(role.rawValue). \(howToCreate(role))")
    }
}
