/// A request method. RFC 9110 §9.
public enum Method: Sendable, Equatable {
    /// The methods the routes are likely to know.
    case get, head, post, put, patch, delete, options
    /// Any other token, at most 32 bytes long.
    case other(String)
}

extension Method {
    /// The token as it is sent.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let token): token
        }
    }
}
