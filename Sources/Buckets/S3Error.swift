/// An S3 error response (Amazon S3 API Reference, "Error responses").
public struct S3Error: Error, Sendable, Hashable {
    /// The code, such as `NoSuchKey`.
    public var code: String
    /// The status.
    public var status: Int
    /// The message.
    public var message: String
    /// Additional elements of the body, in order.
    public var details: [Detail] = []
    /// The size of the object whose range was not satisfiable, in bytes, which the response has in `Content-Range`
    /// (RFC 9110 §15.5.17); nil for other errors.
    public var unsatisfiedRangeSize: Int?

    /// An additional element of the body.
    public struct Detail: Sendable, Hashable {
        /// The element's name, such as `BucketName`.
        public var name: String
        /// Its text, not escaped.
        public var text: String

        /// An element without children.
        public init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }

    /// An error that is not among the constants of this type.
    public init(_ code: String, _ status: Int, _ message: String, _ details: [Detail] = []) {
        (self.code, self.status, self.message, self.details) = (code, status, message, details)
    }

    /// The error with an additional element.
    func with(_ name: String, _ text: String) -> S3Error {
        var error = self
        error.details.append(Detail(name, text))
        return error
    }
}
