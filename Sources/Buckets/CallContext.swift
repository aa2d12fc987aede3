/// The caller and origin of a request.
struct CallContext: Sendable {
    var caller: BucketCaller
    /// The `x-amz-request-id` of the answer.
    var requestID: String
    /// The client's IP address.
    var sourceAddress: String
}
