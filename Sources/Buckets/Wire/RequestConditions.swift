import Encodings

/// The conditions of a read (RFC 9110 §13), or of the source of a copy.
struct RequestConditions: Sendable {
    private var ifMatch: String?
    private var ifNoneMatch: String?
    /// Seconds since 1970.
    private var ifModifiedSince: Int64?
    private var ifUnmodifiedSince: Int64?

    /// - Parameter prefix: `x-amz-copy-source-` for the source of a copy.
    init(_ request: S3Request, prefix: String = "") {
        ifMatch = request.header("\(prefix)if-match")
        ifNoneMatch = request.header("\(prefix)if-none-match")
        // A date that cannot be read is ignored.
        ifModifiedSince = request.header("\(prefix)if-modified-since").flatMap(HTTPTime.seconds)
        ifUnmodifiedSince = request.header("\(prefix)if-unmodified-since").flatMap(HTTPTime.seconds)
    }

    /// Tests the conditions in the order of RFC 9110 §13.2.2.
    ///
    /// - Returns: Whether the object is not modified (304).
    /// - Throws: PreconditionFailed.
    func isNotModified(_ object: ObjectRecord) throws(S3Error) -> Bool {
        let modified = object.modified / 1_000
        if let ifMatch {
            guard Self.matches(ifMatch, object.etag) else { throw .preconditionFailed("If-Match") }
        } else if let ifUnmodifiedSince {
            guard modified <= ifUnmodifiedSince else { throw .preconditionFailed("If-Unmodified-Since") }
        }
        if let ifNoneMatch { return Self.matches(ifNoneMatch, object.etag) }
        if let ifModifiedSince { return modified <= ifModifiedSince }
        return false
    }

    /// Whether a list of entity tags contains this one; `*` matches any. Quotes are optional, because S3 clients omit them.
    static func matches(_ list: String, _ etag: String) -> Bool {
        list.split(separator: ",").contains { element in
            var text = element.trimmingBlanks
            if text.hasPrefix("W/") { text.removeFirst(2) }
            return text == "*" || text == etag || text == "\"\(etag)\""
        }
    }
}
