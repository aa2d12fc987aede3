import HTTP

/// Decides by `Host` and `Origin` which requests the routes with `checksSource` and `CognitoEndpoint` accept, GraphQL's among
/// them.
///
/// The default API key is that of Amplify's mock, so everybody knows it. Where it is accepted, it proves nothing: every
/// web page could use the API of a developer who opens it. A browser states the origin of the page in `Origin` (Fetch Standard,
/// "`Origin` header"); a page that made its own name resolve to this machine (DNS rebinding) is of the same origin, and is
/// recognized by `Host`. So both are checked. With a key of one's own, neither is. WebSocket upgrades are checked against
/// `cors.origins` with either key, because browsers do not apply CORS to WebSockets (RFC 6455 §10.2).
///
/// A class: passing it costs one reference count; as a struct it cost two.
final class RequestSourcePolicy: Sendable {
    /// Whether the default API key is accepted, so that `Host` and `Origin` are checked.
    let acceptsDefaultKey: Bool
    /// The names of this server, in lower case, beside `localhost` and addresses. An AWS hostname, where these are served, is
    /// only that of the routes of its service (`AWSRoute`).
    private let hosts: [[UInt8]]
    /// The origins that `cors.origins` names.
    private let origins: [[UInt8]]
    /// Whether `cors.origins` has `*`.
    private let namesAnyOrigin: Bool

    init(_ configuration: Configuration) {
        acceptsDefaultKey = configuration.apiKeys.acceptsDefault
        let machine = CertificateNames.machine
        let names =
            configuration.address.names + configuration.tls.hosts + [machine, "\(machine).local"]
            + (configuration.servedAWSNames?.names ?? [])
        hosts = names.map { Array($0.lowercased().utf8) }
        origins = configuration.cors.origins.filter { $0 != "*" }.map { Array($0.utf8) }
        namesAnyOrigin = configuration.cors.origins.contains("*")
    }

    /// Why a request is refused; nil if it is accepted. `*` in `cors.origins` does not count.
    func problem(of request: Request) -> Problem? {
        guard acceptsDefaultKey else { return nil }
        let isOwnHost = unsafe request.withHeader(.host) { host in
            guard let host = unsafe host else { return false }
            return unsafe isOwn(host: host)
        }
        guard isOwnHost else { return .foreignHost(request[header: "host"]) }
        let isAccepted = unsafe request.withHeader(.origin) { unsafe $0.map(accepts(origin:)) ?? true }
        return isAccepted ? nil : .foreignOrigin(request[header: "origin"])
    }

    /// Whether web pages of an origin may send requests and read their answers (CORS).
    func accepts(origin: UnsafeRawBufferPointer) -> Bool {
        guard acceptsDefaultKey else { return true }
        return unsafe Self.isLoopback(origin: origin) || (isNamed(origin: origin) && !origin.isEqual(to: "null"))
    }

    /// Why `cors.origins` refuses a WebSocket upgrade; nil when it accepts it.
    func problem(ofUpgrade request: Request) -> Problem? {
        guard !namesAnyOrigin else { return nil }
        let isAccepted = unsafe request.withHeader(.origin) { unsafe $0.map(isNamed(origin:)) ?? true }
        return isAccepted ? nil : .foreignUpgrade(request[header: "origin"])
    }

    /// Whether an origin is this machine's own, by any scheme: web pages that a development server on this machine
    /// serves, and the pages of applications (`capacitor://localhost`). `null`, which every page can have itself made
    /// into, is not.
    ///
    /// Memory safety: three bytes follow the colon.
    private static func isLoopback(origin: UnsafeRawBufferPointer) -> Bool {
        guard let colon = unsafe origin.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 3 < origin.count,
            unsafe origin[colon + 1] == UInt8(ascii: "/"), unsafe origin[colon + 2] == UInt8(ascii: "/")
        else { return false }
        return unsafe HostPort(origin[(colon + 3)...])?.isLoopback ?? false
    }

    private func isNamed(origin: UnsafeRawBufferPointer) -> Bool {
        origins.contains { unsafe origin.elementsEqual($0) }
    }

    private func isOwn(host: UnsafeRawBufferPointer) -> Bool {
        if unsafe Self.isUsual(host) { return true }
        guard let host = unsafe HostPort(host[...]) else { return false }
        return host.isAddress || host.isLoopback || hosts.contains(where: host.matches)
    }

    /// `127.0.0.1` or `localhost` with or without a port, which nearly every request has. Both are nine bytes.
    ///
    /// Memory safety: there are at least nine bytes.
    private static func isUsual(_ host: UnsafeRawBufferPointer) -> Bool {
        guard host.count >= 9, unsafe host.count == 9 || host[9] == UInt8(ascii: ":") else { return false }
        guard unsafe host.dropFirst(10).allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return false
        }
        let start = unsafe UInt64(littleEndian: host.loadUnaligned(as: UInt64.self))
        // The first eight bytes, the first of them lowest: "127.0.0." and "localhos".
        return unsafe (start == 0x2E30_2E30_2E37_3231 && host[8] == UInt8(ascii: "1"))
            || (start == 0x736F_686C_6163_6F6C && host[8] == UInt8(ascii: "t"))
    }
}

extension Problem {
    private static let whileDefaultKey = "the default API key \(APIKeys.defaultKey) is in use"
    private static let orOwnKey = "or set your own 'apiKey' (\(Setting.apiKey.flag))."

    static func foreignHost(_ host: String?) -> Problem {
        let what =
            host.map { "Host '\(LogText.excerpt($0))' is not a name of this server." } ?? "The request has no Host."
        return Problem(
            status: 403, errorType: "AccessDeniedException",
            message: "\(what) While \(whileDefaultKey), such requests are refused. "
                + "Add the name to 'hosts' (\(Setting.hosts.flag)), \(orOwnKey)")
    }

    static func foreignOrigin(_ origin: String?) -> Problem {
        Problem(
            status: 403, errorType: "AccessDeniedException",
            message: "Web pages of the origin '\(LogText.excerpt(origin ?? ""))' are refused while \(whileDefaultKey). "
                + "Add the origin to 'cors.origins' (\"*\" does not count), \(orOwnKey)")
    }

    static func foreignUpgrade(_ origin: String?) -> Problem {
        Problem(
            status: 403, errorType: "AccessDeniedException",
            message: "Web pages of the origin '\(LogText.excerpt(origin ?? ""))' may not open a WebSocket. "
                + "Add the origin to 'cors.origins'.")
    }
}
