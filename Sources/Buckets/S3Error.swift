/// An error as S3 answers it (Amazon S3 API Reference, "Error responses").
public struct S3Error: Error, Sendable, Hashable {
    /// The code, such as `NoSuchKey`.
    public var code: String
    /// The status.
    public var status: Int
    /// The message.
    public var message: String
    /// More elements of the body, in their order.
    public var details: [Detail] = []

    /// One more element of the body.
    public struct Detail: Sendable, Hashable {
        /// The element's name.
        public var name: String
        /// Its text.
        public var text: String

        /// An element of its name and text.
        public init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }

    /// An error of its parts.
    public init(_ code: String, _ status: Int, _ message: String, _ details: [Detail] = []) {
        (self.code, self.status, self.message, self.details) = (code, status, message, details)
    }

    /// The error with one more element.
    func with(_ name: String, _ text: String) -> S3Error {
        var error = self
        error.details.append(Detail(name, text))
        return error
    }
}
