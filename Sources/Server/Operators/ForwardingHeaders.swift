import HTTP

/// The headers that proxies, tunnels and content delivery networks add to requests that they forward. The client of such
/// a request is not the peer of the connection. This is the only list of them.
enum ForwardingHeaders {
    /// RFC 7239, RFC 9110 §7.6.3, and what nginx, Apache, HAProxy, Varnish, IIS, the load balancers of AWS and Google,
    /// Akamai, Fastly and Fly send.
    private static let names: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-originating-ip",
        "x-remote-addr", "x-remote-ip", "x-proxyuser-ip", "x-scheme", "front-end-https", "x-varnish",
        "x-amzn-trace-id", "x-cloud-trace-context", "client-ip", "true-client-ip", "remote-addr", "fastly-client-ip",
        "fly-client-ip", "cdn-loop", "proxy-client-ip", "wl-proxy-client-ip",
    ]
    /// The usual ones of every proxy, and those of Cloudflare, Envoy, Azure, Tailscale, ngrok, Vercel, Akamai, IIS,
    /// Sucuri and Imperva.
    private static let prefixes = [
        "x-forwarded", "x-original-", "x-http-forwarded-", "x-arr-", "x-sucuri-", "incap-", "cf-", "x-envoy-",
        "x-azure-", "tailscale-", "ngrok-", "x-vercel-", "akamai-", "x-akamai-",
    ]

    /// Whether a header's name, in lower case, is in the list.
    static func contains(_ name: String) -> Bool { names.contains(name) || prefixes.contains(where: name.hasPrefix) }
}

extension Request {
    /// Whether a proxy forwarded the request. Makes a `String` of every header, so it is only for operators' paths, which
    /// are rarely requested.
    var isForwarded: Bool { headers.contains { ForwardingHeaders.contains($0.name) } }
}
