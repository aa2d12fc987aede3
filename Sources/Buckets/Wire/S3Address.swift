import Encodings

/// The resource of a request: the service, a bucket, or an object.
struct S3Address: Sendable {
    /// Nil for the service.
    var bucket: String?
    /// Nil for the bucket itself.
    var key: String?

    /// Parses a path.
    ///
    /// - Parameter bucketOfHost: The bucket of a virtual-hosted-style request, whose path is the key; nil for path style,
    ///   `/bucket/key`.
    init(path: String, bucketOfHost: String?) throws(S3Error) {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/") || bytes.isEmpty else { throw .invalidURI }
        var rest = bytes.dropFirst()
        if let bucketOfHost {
            bucket = bucketOfHost
        } else if !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: "/") }
            guard let name = Self.text(name), !name.isEmpty else { throw .invalidURI }
            bucket = name
            rest = rest.dropFirst(rest.prefix { $0 != UInt8(ascii: "/") }.count + 1)
        }
        if bucket != nil, !rest.isEmpty { key = try Self.key(rest) }
    }

    private static func key(_ path: ArraySlice<UInt8>) throws(S3Error) -> String {
        guard let key = text(path), !key.utf8.contains(0) else { throw .invalidURI }
        return key
    }

    /// The text of a part of a path; nil if that is malformed.
    private static func text(_ part: ArraySlice<UInt8>) -> String? {
        // Most have nothing to decode.
        if part.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) { return String(decoding: part, as: UTF8.self) }
        return Percent.decodeStrictly(part).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The source of a copy: `[/]bucket/key[?versionId=null]`, percent-encoded.
    init(copySource text: String) throws(S3Error) {
        let invalid = S3Error.invalidArgument(
            "Copy Source must mention the source bucket and key: sourcebucket/sourcekey", "x-amz-copy-source", text)
        var bytes = Array(text.utf8)[...]
        if let mark = bytes.lastIndex(of: UInt8(ascii: "?")),
            bytes[bytes.index(after: mark)...].starts(with: "versionId=".utf8)
        {
            guard bytes[mark...].elementsEqual("?versionId=null".utf8) else {
                throw .invalidArgument("Invalid version id specified", "x-amz-copy-source", text)
            }
            bytes = bytes[..<mark]
        }
        if bytes.first == UInt8(ascii: "/") { bytes = bytes.dropFirst() }
        // Some clients escape the slash between bucket and key.
        guard let decoded = Percent.decodeStrictly(bytes), !decoded.contains(0),
            let slash = decoded.firstIndex(of: UInt8(ascii: "/")),
            let bucket = String(validating: decoded[..<slash], as: UTF8.self),
            let key = String(validating: decoded[(slash + 1)...], as: UTF8.self), !bucket.isEmpty, !key.isEmpty
        else { throw invalid }
        (self.bucket, self.key) = (bucket, key)
    }
}
