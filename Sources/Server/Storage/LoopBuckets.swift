import Buckets
import HTTP
import Tables

/// What one event loop needs to answer requests to buckets. Belongs to that loop.
final class LoopBuckets {
    let service: BucketService
    /// Reads metadata on the loop.
    let reader: MetadataReader?
    /// What hosts of buckets end with: a dot and a base host, in lower case.
    private let hostSuffixes: [String]

    /// - Parameter loop: The loop, on which this is made.
    init(_ service: BucketService, baseHosts: [String], on loop: EventLoop) {
        self.service = service
        reader = try? service.buckets.makeReader(on: loop)
        hostSuffixes = baseHosts.map { ".\($0)" }
    }

    /// Whether a request is for a bucket by its host, which goes before all paths.
    func isBucketHost(of request: Request) -> Bool {
        guard !hostSuffixes.isEmpty, var host = request[header: "host"]?.lowercased() else { return false }
        if let colon = host.lastIndex(of: ":") { host = String(host[..<colon]) }
        return hostSuffixes.contains { host.hasSuffix($0) && host.utf8.count > $0.utf8.count }
    }

    /// Whether a request that no other route takes is for buckets: its path begins with the name of one, or it is signed for S3.
    func claim(_ request: Request) -> Bool {
        let name = request.path.dropFirst().prefix { $0 != "/" }
        return service.buckets.hasBucket(String(name)) || Self.isSignedForS3(request)
    }

    /// Whether a request says that it is signed for S3.
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
