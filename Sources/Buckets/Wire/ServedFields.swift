/// What an operation serves of a request: parameters of the query, `x-amz-` headers and conditions. Everything else of these
/// kinds is NotImplemented and never ignored. (Amazon S3 API Reference, "Actions".)
struct ServedFields: Sendable {
    /// Parameters of the query, as they are written.
    var parameters: Set<String>
    /// `x-amz-` headers, in lower case.
    var headers: Set<String>
    /// Those of `headers` that the query may have too, as presigned URLs do. The operation reads them from there.
    var fields: Set<String>
    /// Conditions, in lower case.
    var conditions: Set<String>

    /// Whether the name of a header or parameter is one of user metadata.
    static func isMetadata(_ name: String) -> Bool { name.hasBytePrefix("x-amz-meta-") }

    // MARK: Of every operation

    /// The parameters of signature version 4, as SDKs write them.
    static let signature: Set<String> = [
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
        "X-Amz-Security-Token",
    ]
    /// The parameters of signature version 2. boto3 also writes the two signed headers into the query.
    static let signatureOfVersion2: Set<String> = [
        "AWSAccessKeyId", "Signature", "Expires", "content-md5", "content-type",
    ]
    /// What has the same meaning for every operation. CloudFront adds `x-amz-cf-id` to what it forwards.
    static let common: Set<String> = [
        "x-amz-content-sha256", "x-amz-date", "x-amz-security-token", "x-amz-user-agent", "x-amz-cf-id",
        "x-amz-expected-bucket-owner", "x-amz-request-payer",
    ]

    // MARK: Of some

    private static let bodyHeaders: Set<String> = Set(ChecksumAlgorithm.allCases.map(\.header)).union([
        "x-amz-sdk-checksum-algorithm", "x-amz-decoded-content-length", "x-amz-trailer",
    ])
    /// SDKs write the checksum of an empty body into presigned URLs, where it is ignored.
    /// (reference: storage, "Signatures")
    private static let bodyFields = bodyHeaders.subtracting(["x-amz-decoded-content-length", "x-amz-trailer"])
    private static let objectFields: Set<String> = ["x-amz-acl", "x-amz-storage-class", "x-amz-tagging"]
    private static let copyHeaders: Set<String> = [
        "x-amz-copy-source", "x-amz-copy-source-if-match", "x-amz-copy-source-if-none-match",
        "x-amz-copy-source-if-modified-since", "x-amz-copy-source-if-unmodified-since",
        "x-amz-source-expected-bucket-owner",
    ]
    private static let writeConditions: Set<String> = ["if-match", "if-none-match"]
    private static let readConditions: Set<String> = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
    private static let readParameters: Set<String> = Set(
        (["Content-Type"] + ObjectHeaders.systemNames).map { "response-\($0.asciiLowercased)" }
    ).union(["partNumber", "versionId"])

    private init(
        _ parameters: Set<String> = [], headers: Set<String> = [], fields: Set<String> = [],
        conditions: Set<String> = []
    ) {
        (self.parameters, self.headers) = (parameters, headers.union(fields))
        (self.fields, self.conditions) = (fields, conditions)
    }

    /// What each operation serves.
    private static let all = Dictionary(uniqueKeysWithValues: S3Operation.allCases.map { ($0, of($0)) })
    private static let none = ServedFields()

    /// All parameters that some operation serves.
    static let parametersOfAll = all.values.reduce(into: Set<String>()) { $0.formUnion($1.parameters) }

    static subscript(operation: S3Operation) -> ServedFields { all[operation] ?? none }

    private static func of(_ operation: S3Operation) -> ServedFields {
        switch operation {
        case .listBuckets: ServedFields(["max-buckets", "continuation-token", "prefix", "bucket-region"])
        case .createBucket:
            ServedFields(
                headers: bodyHeaders,
                fields: ["x-amz-acl", "x-amz-object-ownership", "x-amz-bucket-object-lock-enabled"])
        case .deleteBucket, .headBucket, .preflight: ServedFields()
        case .getBucketLocation: ServedFields(["location"])
        case .getBucketVersioning: ServedFields(["versioning"])
        case .getBucketACL: ServedFields(["acl"])
        case .putBucketACL: ServedFields(["acl"], headers: bodyHeaders, fields: ["x-amz-acl"])
        case .getBucketCORS, .deleteBucketCORS: ServedFields(["cors"])
        case .putBucketCORS: ServedFields(["cors"], headers: bodyHeaders)
        case .listObjects: ServedFields(["prefix", "delimiter", "marker", "max-keys", "encoding-type"])
        case .listObjectsV2:
            ServedFields([
                "list-type", "prefix", "delimiter", "start-after", "continuation-token", "max-keys", "encoding-type",
                "fetch-owner",
            ])
        case .listMultipartUploads:
            ServedFields([
                "uploads", "prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type",
            ])
        case .deleteObjects: ServedFields(["delete"], headers: bodyHeaders)
        case .getObject, .headObject:
            ServedFields(readParameters, fields: ["x-amz-checksum-mode"], conditions: readConditions)
        case .putObject:
            ServedFields(headers: bodyHeaders, fields: bodyFields.union(objectFields), conditions: writeConditions)
        case .copyObject:
            ServedFields(
                headers: copyHeaders.union([
                    "x-amz-metadata-directive", "x-amz-tagging-directive", "x-amz-checksum-algorithm",
                ]),
                fields: objectFields, conditions: writeConditions)
        case .deleteObject: ServedFields(["versionId"], conditions: ["if-match"])
        case .getObjectTagging, .deleteObjectTagging: ServedFields(["tagging", "versionId"])
        case .putObjectTagging: ServedFields(["tagging", "versionId"], headers: bodyHeaders)
        case .getObjectACL: ServedFields(["acl", "versionId"])
        case .putObjectACL: ServedFields(["acl", "versionId"], headers: bodyHeaders, fields: ["x-amz-acl"])
        case .createMultipartUpload:
            ServedFields(
                ["uploads"], fields: objectFields.union(["x-amz-checksum-algorithm", "x-amz-checksum-type"]))
        case .uploadPart: ServedFields(["partNumber", "uploadId"], headers: bodyHeaders, fields: bodyFields)
        case .uploadPartCopy:
            ServedFields(["partNumber", "uploadId"], headers: copyHeaders.union(["x-amz-copy-source-range"]))
        case .listParts: ServedFields(["uploadId", "max-parts", "part-number-marker"])
        case .completeMultipartUpload:
            ServedFields(
                ["uploadId"], headers: bodyHeaders.union(["x-amz-checksum-type", "x-amz-mp-object-size"]),
                conditions: writeConditions)
        case .abortMultipartUpload: ServedFields(["uploadId"])
        }
    }
}
