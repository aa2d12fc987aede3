/// Headers that request features that are not implemented. A header that states the default is accepted; all others are
/// refused instead of ignored. Each operation checks them once the caller is authorized.
enum UnsupportedHeaders {
    static func check(_ request: S3Request) throws(S3Error) {
        for (name, value) in request.headers { try check(name, value.trimmingBlanks) }
        for (name, value) in request.parameters { try check(name, value) }
    }

    private static func check(_ name: String, _ value: String) throws(S3Error) {
        let name = name.asciiLowercased
        guard name.hasBytePrefix("x-amz-") else { return }
        switch name {
        case "x-amz-acl":
            guard ["private", "bucket-owner-full-control"].contains(value) else {
                throw .notImplemented("\(name): \(value)")
            }
        case "x-amz-storage-class":
            guard value == "STANDARD" else { throw .notImplemented("\(name): \(value)") }
        case "x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner":
            guard value == BucketOwner.account else { throw .accessDenied }
        case "x-amz-website-redirect-location", "x-amz-write-offset-bytes": throw .notImplemented(name)
        case "x-amz-object-ownership":
            guard value == "BucketOwnerEnforced" else { throw .notImplemented("\(name): \(value)") }
        case "x-amz-bucket-object-lock-enabled":
            guard value.asciiLowercased == "false" else { throw .notImplemented("\(name): \(value)") }
        default:
            for prefix in prefixes where name.hasBytePrefix(prefix) { throw .notImplemented(name) }
        }
    }

    private static let prefixes = [
        "x-amz-server-side-encryption", "x-amz-copy-source-server-side-encryption", "x-amz-object-lock-",
        "x-amz-grant-",
    ]
}
