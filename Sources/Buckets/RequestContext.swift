/// What operations know of a request besides its parameters.
struct RequestContext: Sendable {
    var caller: BucketCaller
    /// The `x-amz-request-id` of the answer.
    var requestID: String
    /// The client's IP address.
    var sourceAddress: String
}
