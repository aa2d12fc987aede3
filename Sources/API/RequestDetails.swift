public import JSON

/// What a request has beside its envelope, for the events of functions.
public struct RequestDetails: Sendable {
    /// The header lines by their names in lower case; empty for operations over a WebSocket.
    public var headers: JSONObject
    /// Where the request came from: the addresses of `x-forwarded-for`, and that of the connection.
    public var sourceAddresses: [String]

    /// A request with these headers from these addresses.
    public init(headers: JSONObject = JSONObject(), sourceAddresses: [String] = []) {
        (self.headers, self.sourceAddresses) = (headers, sourceAddresses)
    }
}
