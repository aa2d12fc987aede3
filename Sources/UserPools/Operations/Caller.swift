/// Who sent a request, as far as the connection and the signature tell.
public struct Caller: Sendable, Hashable {
    /// The network address.
    public var address: String
    /// What attempts are counted by: the address, of IPv6 its first 64 bits alone.
    public var network: String
    /// The access key that signed the request; nil of one without a valid signature.
    public var accessKeyID: String?
    /// The name of the request in answers and logs.
    public var requestID: String
    /// The base of the addresses at which this server answers the caller, such as `http://localhost:20002`.
    public var baseURL: String

    /// A caller of its parts; the network is the address where none is given.
    public init(address: String, network: String? = nil, accessKeyID: String?, requestID: String, baseURL: String) {
        (self.address, self.network, self.accessKeyID) = (address, network ?? address, accessKeyID)
        (self.requestID, self.baseURL) = (requestID, baseURL)
    }
}
