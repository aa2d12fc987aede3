/// A request to one operation. Each operation is a method of it, in a file of `Operations`.
struct OperationCall: Sendable {
    let buckets: Buckets
    let request: S3Request
    private let target: RoutedRequest.Target
    let context: CallContext
    let payload: S3Payload
    let body: S3Body
    /// The memory of a body in XML.
    let documentShare: DocumentShare

    init(
        _ buckets: Buckets, _ request: S3Request, _ target: RoutedRequest.Target, _ caller: BucketCaller,
        _ documentShare: DocumentShare, payload: S3Payload = .unsigned, body: S3Body = .empty
    ) {
        (self.buckets, self.request, self.target, self.documentShare) = (buckets, request, target, documentShare)
        (self.payload, self.body) = (payload, body)
        context = CallContext(caller: caller, requestID: request.id, sourceAddress: request.sourceAddress)
    }

    var caller: BucketCaller { context.caller }
    var operation: S3Operation { target.operation }
    /// The bucket; empty for ListBuckets.
    var bucket: String { target.bucket }
    /// The key; empty for operations on a bucket.
    var key: String { target.key }
    /// Whose turn its lists take.
    var turn: ListTurn { caller.isOperator ? .operator : .network(request.network) }

    func perform() async throws(S3Error) -> S3Response {
        switch operation {
        case .listBuckets: try await listBuckets()
        case .createBucket: try await createBucket()
        case .deleteBucket: try await deleteBucket()
        case .headBucket: try headBucket()
        case .getBucketLocation: try getBucketLocation()
        case .getBucketVersioning: try getBucketVersioning()
        case .getBucketACL, .getObjectACL: try await getACL()
        case .putBucketACL, .putObjectACL: try await putACL()
        case .getBucketCORS: try getBucketCORS()
        case .putBucketCORS: try await putBucketCORS()
        case .deleteBucketCORS: try await deleteBucketCORS()
        case .preflight: try preflight()
        case .listObjects, .listObjectsV2: try await listObjects()
        case .listMultipartUploads: try await listMultipartUploads()
        case .deleteObjects: try await deleteObjects()
        case .getObject, .headObject: try await getObject()
        case .putObject: try await putObject()
        case .copyObject: try await copyObject()
        case .deleteObject: try await deleteObject()
        case .getObjectTagging: try await getObjectTagging()
        case .putObjectTagging: try await putObjectTagging()
        case .deleteObjectTagging: try await deleteObjectTagging()
        case .createMultipartUpload: try await createMultipartUpload()
        case .uploadPart: try await uploadPart()
        case .uploadPartCopy: try await uploadPartCopy()
        case .listParts: try await listParts()
        case .completeMultipartUpload: try await completeMultipartUpload()
        case .abortMultipartUpload: try await abortMultipartUpload()
        }
    }

    // MARK: Access

    /// Throws AccessDenied unless the rules of the bucket allow the action. A missing bucket is NoSuchBucket for every
    /// caller.
    func authorize(_ action: AccessAction, on key: String, in bucket: String) throws(S3Error) {
        guard try buckets.allows(action, on: key, in: bucket, for: caller) else { throw .accessDenied }
    }

    /// Authorizes the action on the request's key, and then refuses headers that the operation does not serve.
    func authorize(_ action: AccessAction) throws(S3Error) {
        try authorize(action, on: key, in: bucket)
        try operation.checkHeaders(request)
    }

    /// Refuses callers other than operators, and then headers that the operation does not serve.
    func authorizeOperator() throws(S3Error) {
        if !bucket.isEmpty, !buckets.hasBucket(bucket) { throw .noSuchBucket(bucket) }
        guard caller.isOperator else { throw .accessDenied }
        try operation.checkHeaders(request)
    }

    /// The error for an object that does not exist. Callers without list permission get AccessDenied, so that they
    /// cannot find out which keys exist.
    func missing(_ key: String, in bucket: String) throws(S3Error) -> S3Error {
        try buckets.allows(.list, on: key, in: bucket, for: caller) ? .noSuchKey(key) : .accessDenied
    }

    // MARK: Parameters

    /// A number in the query.
    func number(_ name: String, default value: Int, in range: ClosedRange<Int>) throws(S3Error) -> Int {
        guard let text = request.parameter(name), !text.isEmpty else { return value }
        guard let number = text.decimal else {
            throw .invalidArgument("Provided \(name) not an integer or within integer range", name, text)
        }
        return min(max(number, range.lowerBound), range.upperBound)
    }

    /// A document in the body.
    func document(_ root: String, bytesMax: Int) async throws(S3Error) -> XMLElement {
        let reader = try PayloadReader(request, payload, body)
        return try documentShare.parse(try await documentShare.collect(reader, bytesMax: bytesMax), root: root)
    }
}
