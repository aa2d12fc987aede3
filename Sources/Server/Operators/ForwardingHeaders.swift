import HTTP

/// The headers by which proxies, tunnels and content delivery networks say that they pass a request on for someone else.
/// A request with any of them does not come from where its connection comes from. The one list of them.
enum ForwardingHeaders {
    /// RFC 7239, RFC 9110 §7.6.3, and what nginx, Apache, HAProxy, Akamai, Fastly and Fly send.
    private static let names: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-host", "x-original-for",
        "x-original-proto", "x-proxyuser-ip", "client-ip", "true-client-ip", "remote-addr", "fastly-client-ip",
        "fly-client-ip", "cdn-loop", "proxy-client-ip", "wl-proxy-client-ip",
    ]
    /// The usual ones of every proxy, and those of Cloudflare, Envoy, Azure, Tailscale, ngrok, Vercel and Akamai.
    private static let prefixes = [
        "x-forwarded", "cf-", "x-envoy-", "x-azure-", "tailscale-", "ngrok-", "x-vercel-", "akamai-", "x-akamai-",
    ]

    /// Whether a name, which is in lower case, is one of them.
    static func contains(_ name: String) -> Bool { names.contains(name) || prefixes.contains(where: name.hasPrefix) }
}

extension Request {
    /// Whether somebody passed the request on. Makes text of every header, which is well for operators' paths only.
    var isForwarded: Bool { headers.contains { ForwardingHeaders.contains($0.name) } }
}
