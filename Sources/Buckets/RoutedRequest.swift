/// A request whose resource and operation were found, or the error by which it is refused. They depend on the method, the host, the path,
/// the query and a few headers alone; the rights of the caller are not checked.
public struct RoutedRequest: Sendable {
    /// What the request is for.
    struct Target: Sendable {
        var operation: S3Operation
        /// The bucket; empty for ListBuckets.
        var bucket: String
        /// The key; empty for operations on a bucket.
        var key: String
    }

    /// The request.
    public let request: S3Request
    /// The bucket that the request names, also where it has no operation.
    let bucket: String?
    let target: Result<Target, S3Error>

    init(_ request: S3Request, _ limits: BucketLimits) {
        self.request = request
        let address: S3Address
        do throws(S3Error) {
            address = try Self.address(of: request, limits)
        } catch {
            (bucket, target) = (nil, .failure(error))
            return
        }
        bucket = address.bucket
        target = Result { () throws(S3Error) in
            Target(
                operation: try S3Operation(request, address), bucket: address.bucket ?? "", key: address.key ?? "")
        }
    }

    private static func address(of request: S3Request, _ limits: BucketLimits) throws(S3Error) -> S3Address {
        guard request.isWellFormed else { throw .invalidURI }
        let address = try S3Address(path: request.path, bucketOfHost: request.bucketOfHost)
        if let key = address.key, key.utf8.count > limits.keyBytesMax {
            throw S3Error.keyTooLong.with("Size", String(key.utf8.count))
                .with("MaxSizeAllowed", String(limits.keyBytesMax))
        }
        return address
    }
}

extension Buckets {
    /// Finds out what a request is for.
    public func route(_ request: S3Request) -> RoutedRequest { RoutedRequest(request, limits) }
}
