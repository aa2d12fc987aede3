import Encodings

/// The response to a request to buckets.
public struct S3Response: Sendable {
    /// The body of an answer.
    public enum Body: Sendable {
        /// Bytes.
        case bytes([UInt8])
        /// A range of a blob, in bytes. It stays readable if the object is replaced or deleted.
        case blob(OpenBlob, Range<Int>)
        /// No body, in a response to HEAD, with the number of bytes of the body for GET.
        case head(byteCount: Int)
    }

    /// The status.
    public var status: Int
    /// The header fields, without `Content-Length`, `Date` and `Server`.
    public var headers: [(name: String, value: String)]
    /// The body. Responses with the status 204 or 304 have none.
    public var body: Body
    /// The code of the error that the response reports, such as `NoSuchKey`; also that of a response to HEAD, which has no body.
    public internal(set) var errorCode: String?
    /// The time in Last-Modified, in seconds since 1970.
    public private(set) var modifiedSeconds: Int64?

    /// A response; by default without headers and with an empty body.
    init(_ status: Int, _ headers: [(name: String, value: String)] = [], _ body: Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Adds the headers that describe a version of an object.
    mutating func add(_ object: ObjectRecord) {
        headers += object.versionFields
        modifiedSeconds = object.modified / 1_000
    }

    /// Replaces a Last-Modified that is later than the Date of the answer by the Date, as where the clock was set back.
    /// (RFC 9110 §8.8.2.1)
    public mutating func setLastModified(seconds: Int64) {
        modifiedSeconds = seconds
        guard let index = headers.firstIndex(where: { $0.name == Self.lastModified }) else { return }
        headers[index].value = HTTPTime.text(seconds: seconds)
    }

    private static let lastModified = "Last-Modified"

    /// A response with a body in XML.
    init(_ xml: XMLWriter, _ status: Int = 200, _ headers: [(name: String, value: String)] = []) {
        self.init(status, headers + [("Content-Type", "application/xml")], .bytes(Array(xml.text.utf8)))
    }
}
