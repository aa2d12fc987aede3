/// The bounds of what a signature may make the server read, compare or sort.
public enum SignatureLimits {
    /// Length of the Authorization header in bytes. A session token has a header of its own.
    public static let authorizationBytesMax = 4_096
    /// Number of headers in SignedHeaders.
    public static let signedHeadersMax = 64
    /// Number of query parameters.
    public static let queryParametersMax = 1_000
    /// Difference between a request's date and the clock: AWS accepts 15 minutes.
    public static let skewSecondsMax: Int64 = 900
    /// Lifetime of a presigned URL: AWS accepts 7 days.
    public static let expiresSecondsMax: Int64 = 604_800
    /// Length of an access key id in bytes, as IAM's `accessKeyIdType`.
    public static let accessKeyIDBytesMax = 128
    /// Length of a region and of a service name in bytes.
    public static let scopePartBytesMax = 64
}
