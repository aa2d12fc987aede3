import Crypto
import Encodings

/// The parts of an HTTP request that a signature covers, as they are sent.
public struct SignedRequest: Sendable {
    /// The method, in upper case.
    public var method: String
    /// The path as sent: percent-encoded, without the query.
    public var path: String
    /// The query as sent: percent-encoded, without the question mark. Empty when there is none.
    public var query: String
    /// The header fields in the order sent, `Host` among them. A name may occur more than once.
    ///
    /// Values must be decoded without loss. Where invalid UTF-8 is replaced by U+FFFD, two values become one.
    public var headers: [(name: String, value: String)]
    /// The SHA-256 of the body in lower-case hexadecimal.
    ///
    /// Required for every service but S3. A request to S3 declares its payload hash in a header; with nil, the caller
    /// compares the body with `SignatureV4.payloadHash()` while it reads it.
    public var bodyHash: String?

    /// A request of these parts.
    public init(
        method: String, path: String, query: String = "", headers: [(name: String, value: String)],
        bodyHash: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.bodyHash = bodyHash
    }

    /// The SHA-256 of a body in lower-case hexadecimal, as `bodyHash` has it.
    public static func bodyHash(of body: [UInt8]) -> String { Hexadecimal.text(of: SHA256.hash(data: body)) }
}

extension SignedRequest {
    /// The values of a field, in the order sent. `name` is in lower case.
    func values(ofHeader name: String) -> [String] {
        headers.filter { $0.name.isEqual(ignoringASCIICase: name) }.map(\.value)
    }

    /// The value of a field that may occur once. `name` is in lower case.
    func value(ofHeader name: String) throws(SignatureError) -> String? {
        let values = values(ofHeader: name)
        guard values.count <= 1 else { throw .repeatedHeader(name) }
        return values.first
    }
}
