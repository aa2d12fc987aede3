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
        // Few requests have any.
        guard !prefix.isEmpty || request.headers.contains(where: { $0.name.hasBytePrefix(lowercased: "if-") }) else {
            return
        }
        ifMatch = request.header("\(prefix)if-match")
        ifNoneMatch = request.header("\(prefix)if-none-match")
        // A date that cannot be read is ignored.
        ifModifiedSince = request.header("\(prefix)if-modified-since").flatMap(HTTPTime.seconds)
        ifUnmodifiedSince = request.header("\(prefix)if-unmodified-since").flatMap(HTTPTime.seconds)
    }

    /// A condition, by the name of its header.
    enum Condition: String, Sendable {
        case ifMatch = "If-Match"
        case ifNoneMatch = "If-None-Match"
        case ifModifiedSince = "If-Modified-Since"
        case ifUnmodifiedSince = "If-Unmodified-Since"
    }

    /// The condition that an object does not meet, in the order of RFC 9110 §13.2.2; nil if it meets all of them.
    func failed(for object: ObjectRecord) -> Condition? {
        let modified = object.modified / 1_000
        if let ifMatch {
            if !Self.matches(ifMatch, object.etag) { return .ifMatch }
        } else if let ifUnmodifiedSince, modified > ifUnmodifiedSince {
            return .ifUnmodifiedSince
        }
        if let ifNoneMatch { return Self.matches(ifNoneMatch, object.etag) ? .ifNoneMatch : nil }
        if let ifModifiedSince, modified <= ifModifiedSince { return .ifModifiedSince }
        return nil
    }

    /// Tests the conditions of a read.
    ///
    /// - Returns: Whether the object is not modified (304).
    /// - Throws: PreconditionFailed.
    func isNotModified(_ object: ObjectRecord) throws(S3Error) -> Bool {
        switch failed(for: object) {
        case nil: return false
        case .ifNoneMatch?, .ifModifiedSince?: return true
        case let condition?: throw .preconditionFailed(condition.rawValue)
        }
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
