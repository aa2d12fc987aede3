import Buckets
import HTTP
import Tables

/// The state of one event loop for requests to buckets. Used on that loop only.
final class LoopBuckets {
    let service: BucketService
    /// Reads metadata on the loop.
    let reader: MetadataReader?
    private let baseHosts: BaseHosts
    /// What the addresses of the server begin with for its clients, if it is configured.
    let publicURL: String?

    /// - Parameter loop: The current event loop.
    init(_ service: BucketService, baseHosts: [String], publicURL: String?, on loop: EventLoop) {
        self.service = service
        reader = try? service.buckets.makeReader(on: loop)
        self.baseHosts = BaseHosts(baseHosts)
        self.publicURL = publicURL
    }

    /// The bucket that a request names by its host, which takes precedence over all paths.
    func bucketOfHost(_ request: Request) -> String? {
        baseHosts.isEmpty ? nil : request[header: "host"].flatMap(baseHosts.bucket)
    }

    /// Whether a request that no other route matches is for buckets: its path begins with the name of one, or it is signed for S3.
    func claim(_ request: Request) -> Bool {
        let name = unsafe request.withPath { path in
            unsafe String(decoding: path.dropFirst().prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        }
        return service.buckets.hasBucket(name) || Self.isSignedForS3(request)
    }

    /// Whether the credential scope of a request names S3. The signature is not verified here.
    static func isSignedForS3(_ request: Request) -> Bool {
        if let authorization = request[header: "authorization"] {
            return authorization.contains("/s3/aws4_request") || authorization.hasPrefix("AWS ")
        }
        guard let query = request.query else { return false }
        return query.contains("AWSAccessKeyId=")
            || query.contains("X-Amz-Credential=")
                && (query.contains("%2Fs3%2Faws4_request") || query.contains("/s3/aws4_request"))
    }
}
