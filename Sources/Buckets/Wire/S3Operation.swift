/// An operation, by its name in the Amazon S3 API Reference.
enum S3Operation: String, Sendable, Hashable, CaseIterable {
    case listBuckets = "ListBuckets"
    case createBucket = "CreateBucket"
    case deleteBucket = "DeleteBucket"
    case headBucket = "HeadBucket"
    case getBucketLocation = "GetBucketLocation"
    case getBucketVersioning = "GetBucketVersioning"
    case getBucketACL = "GetBucketAcl"
    case putBucketACL = "PutBucketAcl"
    case getBucketCORS = "GetBucketCors"
    case putBucketCORS = "PutBucketCors"
    case deleteBucketCORS = "DeleteBucketCors"
    case listObjects = "ListObjects"
    case listObjectsV2 = "ListObjectsV2"
    case listMultipartUploads = "ListMultipartUploads"
    case deleteObjects = "DeleteObjects"
    case getObject = "GetObject"
    case headObject = "HeadObject"
    case putObject = "PutObject"
    case copyObject = "CopyObject"
    case deleteObject = "DeleteObject"
    case getObjectTagging = "GetObjectTagging"
    case putObjectTagging = "PutObjectTagging"
    case deleteObjectTagging = "DeleteObjectTagging"
    case getObjectACL = "GetObjectAcl"
    case putObjectACL = "PutObjectAcl"
    case createMultipartUpload = "CreateMultipartUpload"
    case uploadPart = "UploadPart"
    case uploadPartCopy = "UploadPartCopy"
    case listParts = "ListParts"
    case completeMultipartUpload = "CompleteMultipartUpload"
    case abortMultipartUpload = "AbortMultipartUpload"
    /// The preflight of a browser.
    case preflight = "OPTIONS"
}

extension S3Operation {
    /// The operation of a request, whose parameters it serves.
    init(_ request: S3Request, _ address: S3Address) throws(S3Error) {
        if request.method == "OPTIONS" {
            self = .preflight
            return
        }
        let operation: S3Operation? =
            switch (address.bucket, address.key) {
            case (nil, _): request.method == "GET" ? .listBuckets : nil
            case (_?, nil): try Self.ofBucket(request)
            case (_?, _?): try Self.ofObject(request)
            }
        try Self.checkParameters(request, of: operation)
        guard let operation else { throw .methodNotAllowed }
        self = operation
    }

    private static func ofBucket(_ request: S3Request) throws(S3Error) -> S3Operation? {
        let subresource = ["acl", "cors", "versioning", "location", "uploads", "delete", "tagging"].first(
            where: request.has)
        switch (request.method, subresource) {
        case ("GET", nil): return request.parameter("list-type") == "2" ? .listObjectsV2 : .listObjects
        case ("GET", "acl"): return .getBucketACL
        case ("GET", "cors"): return .getBucketCORS
        case ("GET", "versioning"): return .getBucketVersioning
        case ("GET", "location"): return .getBucketLocation
        case ("GET", "uploads"): return .listMultipartUploads
        case ("HEAD", nil): return .headBucket
        case ("PUT", nil): return .createBucket
        case ("PUT", "acl"): return .putBucketACL
        case ("PUT", "cors"): return .putBucketCORS
        case ("DELETE", nil): return .deleteBucket
        case ("DELETE", "cors"): return .deleteBucketCORS
        case ("POST", "delete"): return .deleteObjects
        case ("POST", nil): throw .notImplemented("uploads by forms (POST policy)")
        case (_, "versioning"), (_, "tagging"): throw .notImplemented("?\(subresource ?? "") of a bucket")
        default: return nil
        }
    }

    private static func ofObject(_ request: S3Request) throws(S3Error) -> S3Operation? {
        if let version = request.parameter("versionId"), version != "null" {
            throw .invalidArgument("Invalid version id specified", "versionId", version)
        }
        let isUpload = request.has("uploadId")
        let subresource = ["acl", "tagging", "uploads"].first(where: request.has)
        let isCopy = request.header("x-amz-copy-source") != nil
        switch (request.method, subresource) {
        case ("GET", nil): return isUpload ? .listParts : .getObject
        case ("HEAD", nil): return .headObject
        case ("PUT", nil):
            guard isUpload || request.has("partNumber") else { return isCopy ? .copyObject : .putObject }
            return isCopy ? .uploadPartCopy : .uploadPart
        case ("DELETE", nil): return isUpload ? .abortMultipartUpload : .deleteObject
        case ("POST", nil): return isUpload ? .completeMultipartUpload : nil
        case ("POST", "uploads"): return .createMultipartUpload
        case ("GET", "acl"): return .getObjectACL
        case ("PUT", "acl"): return .putObjectACL
        case ("GET", "tagging"): return .getObjectTagging
        case ("PUT", "tagging"): return .putObjectTagging
        case ("DELETE", "tagging"): return .deleteObjectTagging
        default: return nil
        }
    }
}
