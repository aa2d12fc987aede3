/// A request to the hosted pages or to an endpoint of OAuth 2.0, without what HTTP has around it.
public struct HostedRequest: Sendable {
    /// `GET` or `POST`.
    public var method: String
    /// The path, such as `/login`.
    public var path: String
    /// The query as it was sent, without its `?`.
    public var query: String
    /// The query's parameters, decoded.
    public var parameters: [String: String]
    /// A form's fields, decoded.
    public var form: [String: String]
    /// The cookies by their names.
    public var cookies: [String: String]
    /// The header `Authorization`.
    public var authorization: String?
    /// Whether the connection, or that to a proxy in front, is encrypted.
    public var isSecure: Bool
    /// Whether the host is an AWS hostname that this server serves; URLs for the browser keep it.
    public var isOwnHost: Bool
    /// Who sent it.
    public var caller: Caller

    /// The host, and perhaps port, that was asked.
    var host: String {
        guard let scheme = caller.baseURL.firstRange(of: "://") else { return caller.baseURL }
        return String(caller.baseURL[scheme.upperBound...])
    }

    /// A request of its parts.
    public init(
        method: String, path: String, query: String, parameters: [String: String], form: [String: String],
        cookies: [String: String], authorization: String?, isSecure: Bool, isOwnHost: Bool = false, caller: Caller
    ) {
        (self.method, self.path, self.query, self.parameters) = (method, path, query, parameters)
        (self.form, self.cookies, self.authorization) = (form, cookies, authorization)
        (self.isSecure, self.isOwnHost, self.caller) = (isSecure, isOwnHost, caller)
    }
}
