/// The sender of a request: its address, and the access key that signed it.
public struct Caller: Sendable, Hashable {
    /// The network address.
    public var address: String
    /// The network that limits apply to: the address, or the first 64 bits of an IPv6 address.
    public var network: String
    /// The access key that signed the request; nil without a valid signature.
    public var accessKeyID: String?
    /// The role of that access key.
    public var role: AccessRole
    /// The ARN of its owner; nil for that of a user with the name of the key's id.
    public var ownerARN: String?
    /// The name of the request in answers and logs.
    public var requestID: String
    /// The base of the addresses at which this server answers the caller, such as `http://localhost:20002`.
    public var baseURL: String

    /// A caller of its parts; the network is the address where none is given.
    public init(
        address: String, network: String? = nil, accessKeyID: String?, role: AccessRole = .owner, requestID: String,
        baseURL: String
    ) {
        (self.address, self.network, self.accessKeyID) = (address, network ?? address, accessKeyID)
        (self.role, self.requestID, self.baseURL) = (role, requestID, baseURL)
    }

    /// The sender of the same request, which the owner of an access key has signed.
    public func signing(with key: AccessKey) -> Caller {
        var caller = self
        (caller.accessKeyID, caller.role, caller.ownerARN) = (key.id, key.role, key.ownerARN)
        return caller
    }
}
