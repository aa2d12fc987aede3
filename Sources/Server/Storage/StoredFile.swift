public import JSON

/// An entry of a list of objects.
public struct StoredFile: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The size in bytes.
    public var size: Int
    /// When it was stored, in ISO 8601.
    public var modified: String
    /// The ETag without quotes: the MD5 in hexadecimal, unless the object was uploaded in parts.
    public var etag: String

    /// The members, for scripts.
    public var json: JSONValue {
        [
            "key": .string(key), "size": .number(String(size)), "modified": .string(modified), "etag": .string(etag),
        ]
    }
}
