/// A request for an object whose operation, GetObject or HeadObject, and resource are known: they depend on the method, the path and
/// the query alone.
public struct ObjectRead: Sendable {
    var request: S3Request
    let target: RoutedRequest.Target
    /// Whether it reads an object, and no parameter changes the answer.
    public private(set) var isPlain: Bool

    /// Nil for every other request, and for one that is refused before its operation begins.
    public init?(_ routed: RoutedRequest) {
        guard let target = try? routed.target.get(), target.operation == .getObject || target.operation == .headObject
        else { return nil }
        (request, self.target) = (routed.request, target)
        isPlain = Self.isPlain(request, target)
    }

    /// The bucket in the host name of a virtual-hosted-style request.
    public var bucketOfHost: String? { request.bucketOfHost }

    /// The same without its headers and without the parameters of a signature of version 4, to be completed by `with`.
    public var withoutSignature: ObjectRead {
        var read = self
        read.request = request.withoutSignature
        read.isPlain = Self.isPlain(read.request, target)
        return read
    }

    private static func isPlain(_ request: S3Request, _ target: RoutedRequest.Target) -> Bool {
        target.operation == .getObject && request.parameters.allSatisfy { S3Operation.ignoresParameter($0.name) }
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
        var texts = [
            target.bucket, target.key, request.path, request.query, request.host, request.id, request.sourceAddress,
        ]
        for (name, value) in request.parameters { texts += [name, value] }
        return texts.reduce(request.parameters.count * MemoryLayout<(String, String)>.stride) {
            $0 + $1.utf8.count + Self.textBytes
        }
    }

    /// What the memory of a text has beside it.
    private static let textBytes = 16
}
