/// Who sent a request, as far as the connection and the signature tell.
public struct Caller: Sendable, Hashable {
    /// The network address, by which attempts are counted.
    public var address: String
    /// The access key that signed the request; nil of one without a valid signature.
    public var accessKeyID: String?
    /// The name of the request in answers and logs.
    public var requestID: String
    /// The base of the addresses at which this server answers the caller, such as `http://localhost:20002`.
    public var baseURL: String

    /// A caller of its parts.
    public init(address: String, accessKeyID: String?, requestID: String, baseURL: String) {
        (self.address, self.accessKeyID) = (address, accessKeyID)
        (self.requestID, self.baseURL) = (requestID, baseURL)
    }
}
