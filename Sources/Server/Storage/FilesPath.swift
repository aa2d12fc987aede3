import Encodings

/// A bucket with a key or key prefix, as written on the command line: `BUCKET/KEY` or `s3://BUCKET/KEY`.
public struct FilesPath: Sendable, Hashable {
    /// The bucket.
    public var bucket: String
    /// The key or key prefix; empty for the bucket itself.
    public var key: String

    /// Parses an argument.
    public init(_ text: String) throws(ServerError) {
        let plain = text.hasPrefix("s3://") ? text.dropFirst(5) : text[...]
        let name = plain.prefix { $0 != "/" }
        guard !name.isEmpty else {
            throw ServerError(.usage, "\"\(text)\" names no bucket.", hint: "Write it as BUCKET/KEY.")
        }
        (bucket, key) = (String(name), String(plain.dropFirst(name.count + 1)))
    }

    init(bucket: String, key: String) { (self.bucket, self.key) = (bucket, key) }

    /// Refuses a bucket without a key.
    func checkKey() throws(ServerError) {
        guard key.isEmpty else { return }
        throw ServerError(.usage, "\(bucket) is a bucket, and an object is needed.", hint: "Write it as \(bucket)/KEY.")
    }

    /// The path of a request.
    var encoded: String {
        var bytes: [UInt8] = []
        Percent.append("/\(bucket)\(key.isEmpty ? "" : "/\(key)")".utf8, keepsSlash: true, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
