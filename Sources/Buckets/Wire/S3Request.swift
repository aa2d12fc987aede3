import Encodings

/// A request to buckets as it was sent, without its body.
public struct S3Request: Sendable {
    /// The method, in upper case.
    public let method: String
    /// The path as sent, percent-encoded.
    public let path: String
    /// The query as sent, without the question mark.
    public private(set) var query: String
    /// The value of `Host`.
    public let host: String
    /// The bucket in the host name of a virtual-hosted-style request: `BaseHosts.bucket`. The path is the key then.
    public let bucketOfHost: String?
    /// Whether the client speaks TLS, to this server or to a proxy in front of it.
    public private(set) var isSecure: Bool
    /// What the addresses of the server begin with for its clients; nil if that is what they send in `Host`.
    public let publicURL: String?
    /// The header fields in the order sent, including `Host`.
    public private(set) var headers: [(name: String, value: String)]
    /// The names, in lower case, of the header fields whose bytes are no UTF-8: their values have U+FFFD instead.
    private(set) var undecodedHeaders: [String]
    /// The request's id, which becomes `x-amz-request-id`.
    public private(set) var id: String
    /// The client's IP address.
    public private(set) var sourceAddress: String
    /// The client's network, whose requests share bounds.
    public private(set) var network: String
    /// The query's parameters, decoded, in their order. One without an equals sign has an empty value.
    private(set) var parameters: [(name: String, value: String)]
    /// Whether the path and the query are valid UTF-8.
    let isWellFormed: Bool

    /// A request of these parts.
    ///
    /// - Parameters:
    ///   - query: As sent, without the question mark.
    ///   - bucketOfHost: The bucket in the host name; nil if the path begins with it.
    ///   - isSecure: Whether the client speaks TLS, to this server or to a proxy in front of it.
    ///   - publicURL: What the addresses of the server begin with for its clients, without a slash at its end.
    ///   - undecodedHeaders: The names, in lower case, of the header fields whose bytes are no UTF-8.
    ///   - network: The client's network; nil if that is its address.
    public init(
        method: String, path: String, query: String, host: String, bucketOfHost: String? = nil, isSecure: Bool = false,
        publicURL: String? = nil, headers: [(name: String, value: String)], undecodedHeaders: [String] = [],
        id: String, sourceAddress: String, network: String? = nil
    ) {
        self.undecodedHeaders = undecodedHeaders
        (self.method, self.path, self.query, self.host, self.headers) = (method, path, query, host, headers)
        (self.bucketOfHost, self.isSecure, self.id, self.sourceAddress) = (bucketOfHost, isSecure, id, sourceAddress)
        self.network = network ?? sourceAddress
        self.publicURL = publicURL
        var parameters: [(name: String, value: String)] = []
        var isWellFormed = true
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { part[part.index(after: $0)...] }
            guard let name = Self.decoded(part[..<(equals ?? part.endIndex)]),
                let value = value.map(Self.decoded) ?? ""
            else {
                isWellFormed = false
                continue
            }
            parameters.append((name, value))
        }
        (self.parameters, self.isWellFormed) = (parameters, isWellFormed)
    }

    /// The request without its headers and without the parameters of a signature of version 4, to be completed by `with`.
    var withoutSignature: S3Request {
        var request = self
        (request.headers, request.query) = ([], "")
        request.parameters = parameters.filter { !ServedFields.signature.contains($0.name) }
        return request
    }

    /// The same request for an object at another time.
    func with(
        headers: [(name: String, value: String)], isSecure: Bool, id: String, sourceAddress: String, network: String
    ) -> S3Request {
        var request = self
        (request.headers, request.undecodedHeaders, request.isSecure, request.id) = (headers, [], isSecure, id)
        (request.sourceAddress, request.network) = (sourceAddress, network)
        return request
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        Percent.decodeStrictly(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The URL for clients, without its query. The host of a bucket is not that of `publicURL`, which has its scheme alone.
    var url: String {
        if let publicURL, bucketOfHost == nil { return publicURL + path }
        return "\(isSecure || publicURL?.hasBytePrefix("https://") ?? false ? "https" : "http")://\(host)\(path)"
    }

    /// The value of a header; the first one if it is repeated. `name` is in lower case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.isEqual(lowercased: name) }?.value.trimmingBlanks
    }

    /// The value of a parameter of the query; the first one if it is repeated.
    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether the query has a parameter of this name.
    func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// The value of an `x-amz-` field, which presigned URLs may have in their query.
    func field(_ name: String) -> String? {
        header(name) ?? parameters.first { $0.name.isEqual(lowercased: name) }?.value
    }
}
