/// An answer as a value.
///
/// The server adds what frames it: Content-Length, Date, Connection, and Content-Encoding where it compresses.
public struct Response: Sendable {
    /// 200...599; anything else leaves as 500.
    public var status: Int
    /// The lines that many answers share.
    public var headers: HeaderBlock
    /// Further lines, already encoded, each `name: value` and CRLF. They must have neither control characters
    /// nor fields that the server writes itself.
    public var lines: [UInt8] = []
    /// The lines of only this answer. A control character in a value becomes a space; a field whose name is not a
    /// token, or that the server writes itself, is left out.
    public var fields: [(name: String, value: String)]
    /// The identifier that leaves under the name `headers` gives it; nil has one made.
    public var requestID: RequestID?
    /// The body. An answer to HEAD, and one with the status 204 or 304, leaves without it.
    public var body: ResponseBody
    /// Whether the connection ends with this answer.
    public var closesConnection: Bool
    /// Whether the body may be compressed for a client that asks; not worth it for images and archives.
    public var allowsCompression: Bool

    /// An answer of these parts.
    public init(
        status: Int, headers: HeaderBlock = .empty, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        closesConnection: Bool = false, allowsCompression: Bool = true
    ) {
        self.init(
            status: status, headers: headers, fields: fields, content: .bytes(body),
            closesConnection: closesConnection, allowsCompression: allowsCompression)
    }

    /// An answer whose body is bytes, a range of a file, or a stream.
    public init(
        status: Int, headers: HeaderBlock = .empty, fields: [(name: String, value: String)] = [],
        content body: ResponseBody, closesConnection: Bool = false, allowsCompression: Bool = true
    ) {
        self.status = status
        self.headers = headers
        self.fields = fields
        self.body = body
        self.closesConnection = closesConnection
        self.allowsCompression = allowsCompression
    }
}
