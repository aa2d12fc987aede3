import Encodings

/// A bucket with a key or key prefix, as written on the command line: `BUCKET/KEY` or `s3://BUCKET/KEY`.
public struct FilesPath: Sendable, Hashable {
    /// The bucket.
    public var bucket: String
    /// The key or key prefix; empty for the bucket itself.
    public var key: String

    /// Parses an argument.
    public init(_ text: String) throws(ServerError) {
        // By bytes: a key may begin with a combining character, which makes one character with the slash before it.
        let plain = text.utf8.starts(with: "s3://".utf8) ? text.utf8.dropFirst(5) : text.utf8[...]
        let name = plain.prefix { $0 != UInt8(ascii: "/") }
        guard !name.isEmpty else {
            throw ServerError(.usage, "\"\(text)\" names no bucket.", hint: "Write it as BUCKET/KEY.")
        }
        bucket = String(decoding: name, as: UTF8.self)
        key = String(decoding: plain.dropFirst(name.count + 1), as: UTF8.self)
    }

    /// The part of a key, or of the path of a file, after the last slash.
    public static func lastPart(of path: String) -> String {
        String(decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...], as: UTF8.self)
    }

    init(bucket: String, key: String) { (self.bucket, self.key) = (bucket, key) }

    /// Refuses a bucket without a key.
    func checkKey() throws(ServerError) {
        guard key.isEmpty else { return }
        throw ServerError(
            .usage, "BUCKET/KEY expected, got only a bucket: \(bucket).", hint: "Write it as \(bucket)/KEY.")
    }

    /// As it is written on the command line.
    var text: String { key.isEmpty ? bucket : "\(bucket)/\(key)" }

    /// The path of a request.
    var encoded: String {
        var bytes: [UInt8] = []
        Percent.append("/\(bucket)\(key.isEmpty ? "" : "/\(key)")".utf8, keepsSlash: true, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
