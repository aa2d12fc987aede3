/// An answer of a forward proxy that is not a tunnel, after which the connection closes.
struct ProxyRefusal: Error, Sendable, Hashable {
    let status: Int
    /// For people, in one line.
    let text: String

    private init(_ status: Int, _ text: String) { (self.status, self.text) = (status, text) }

    static func badRequest(_ text: String) -> ProxyRefusal { ProxyRefusal(400, text) }
    static func forbidden(_ text: String) -> ProxyRefusal { ProxyRefusal(403, text) }
    static func badGateway(_ text: String) -> ProxyRefusal { ProxyRefusal(502, text) }

    static let notFound = ProxyRefusal(404, "This is a proxy. Its only page is /proxy.pac.")
    static let methodNotAllowed = ProxyRefusal(
        405,
        "This proxy accepts only CONNECT. Configure it as the HTTPS proxy only (HTTPS_PROXY)."
    )
    static let credentialsRequired = ProxyRefusal(
        407, "This proxy requires the username and the password of its --credentials.")
    static let headTimeout = ProxyRefusal(408, "The request did not arrive in time.")
    static let misdirected = ProxyRefusal(421, "The Host of the request is not a name or an address of this machine.")
    static let headTooLarge = ProxyRefusal(431, "The request head is too large.")
    static let tooManyConnections = ProxyRefusal(503, "The proxy has too many connections.")
    static let tooManyResolutions = ProxyRefusal(503, "The proxy resolves too many names at the moment.")
    static let connectTimeout = ProxyRefusal(504, "The connection to the target timed out.")
    static let versionNotSupported = ProxyRefusal(505, "This proxy uses HTTP/1.1.")

    private var reason: String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 421: "Misdirected Request"
        case 431: "Request Header Fields Too Large"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "HTTP Version Not Supported"
        }
    }

    /// The whole answer.
    var response: String {
        let field =
            switch status {
            case 405: "Allow: CONNECT\r\n"
            case 407: "Proxy-Authenticate: Basic realm=\"syncline proxy\", charset=\"UTF-8\"\r\n"
            default: ""
            }
        return """
            HTTP/1.1 \(status) \(reason)\r
            \(field)Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count + 1)\r
            Connection: close\r
            \r
            \(text)

            """
    }
}
