/// A request for an object whose operation, GetObject or HeadObject, and resource are known: they depend on the method, the path and
/// the query alone.
public struct ObjectRead: Sendable {
    var request: S3Request
    let operation: S3Operation
    let bucket: String
    let key: String
    /// Whether it reads an object, and no parameter changes the answer.
    public private(set) var isPlain: Bool

    /// Nil for every other request, and for one that is refused before its operation begins.
    public init?(_ request: S3Request, _ limits: BucketLimits) {
        guard request.method == "GET" || request.method == "HEAD",
            let address = try? Buckets.address(of: request, limits), let bucket = address.bucket,
            let key = address.key, let operation = try? S3Operation(request, address),
            operation == .getObject || operation == .headObject
        else { return nil }
        (self.request, self.operation, self.bucket, self.key) = (request, operation, bucket, key)
        isPlain = operation == .getObject && request.parameters.allSatisfy { S3Operation.ignoresParameter($0.name) }
    }

    /// The bucket in the host name of a virtual-hosted-style request.
    public var bucketOfHost: String? { request.bucketOfHost }

    /// The same without its headers and without the parameters of a signature of version 4, to be completed by `with`.
    public var withoutSignature: ObjectRead {
        var read = self
        read.request = request.withoutSignature
        read.isPlain =
            operation == .getObject && read.request.parameters.allSatisfy { S3Operation.ignoresParameter($0.name) }
        return read
    }

    /// The same request at another time.
    public func with(
        headers: [(name: String, value: String)], isSecure: Bool, id: String, sourceAddress: String, network: String
    ) -> ObjectRead {
        var read = self
        read.request = request.with(
            headers: headers, isSecure: isSecure, id: id, sourceAddress: sourceAddress, network: network)
        return read
    }

    /// Approximate bytes of memory of a request without headers, beside those of the value itself.
    public var byteCount: Int {
        var texts = [bucket, key, request.path, request.query, request.host, request.id, request.sourceAddress]
        for (name, value) in request.parameters { texts += [name, value] }
        return texts.reduce(request.parameters.count * MemoryLayout<(String, String)>.stride) {
            $0 + $1.utf8.count + Self.textBytes
        }
    }

    /// What the memory of a text has beside it.
    private static let textBytes = 16
}
