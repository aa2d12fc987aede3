import HTTP

extension AWSNames {
    /// What the `Host` of a request is among the AWS hostnames.
    enum HostMatch: Equatable {
        /// One of these names.
        case host(AWSHost)
        /// Another name below AWS's domains.
        case other
    }

    /// What the `Host` of a request is; nil for a name outside of AWS's domains. For most of these it reads only the last byte
    /// of the name.
    func hostMatch(_ request: Request) -> HostMatch? {
        unsafe request.withHeader(.host) { bytes in
            guard let bytes = unsafe bytes, let host = unsafe HostPort(bytes[...]), host.isAWSHostname else {
                return nil
            }
            let name = host.lowercasedName
            return service(of: name).map { .host(AWSHost(name: name, service: $0)) } ?? .other
        }
    }
}

extension AWSNames {
    /// What the addresses of a pool's hosted pages begin with; nil for a pool without pages at AWS.
    func pagesURL(of poolID: String) -> String? {
        hosts.first { $0.service == .hostedPages(poolID: poolID) }.map { "https://\($0.name)" }
    }

    /// What the address of a pool's keys begins with.
    func keysURL(of poolID: String) -> String? {
        let name = Self.name("cognito-idp", String(poolID.prefix { $0 != "_" }))
        return service(of: name) == .cognitoUserPools ? "https://\(name)" : nil
    }
}

extension HostPort {
    /// Whether this is below one of `AWSNames.domains`.
    fileprivate var isAWSHostname: Bool {
        switch lastByte {
        // The last letters of `com` and `cn`.
        case UInt8(ascii: "m"), UInt8(ascii: "n"): AWSNames.domains.contains(where: isBelow)
        default: false
        }
    }
}

extension RequestContext {
    /// The AWS hostname that the client has sent the request to by TLS; nil for any other. URLs that are made for such a
    /// client have this host and no port, because the client has none in its own URLs.
    func awsName(of request: Request) -> String? {
        guard let names = services.awsNames, isSecure(request), case .host(let host)? = names.hostMatch(request) else {
            return nil
        }
        return host.name
    }
}
