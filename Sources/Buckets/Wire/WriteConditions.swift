/// The conditions of a write (Amazon S3 User Guide, "Conditional requests"): `If-None-Match: *` requires that the key
/// does not exist, `If-Match` that the object has an entity tag.
struct WriteConditions: Sendable {
    private var isNew = false
    private var etag: String?

    init() {}

    /// Whether there are none.
    var isEmpty: Bool { !isNew && etag == nil }

    init(_ request: S3Request) throws(S3Error) {
        if let text = request.header("if-none-match") {
            guard text == "*" else { throw .notImplemented("If-None-Match with an entity tag on a write") }
            isNew = true
        }
        etag = request.header("if-match")
        if isNew, etag != nil { throw .notImplemented("If-Match together with If-None-Match") }
    }

    /// Tests the conditions.
    /// - Parameter object: The stored object; nil if the key does not exist.
    func check(_ object: ObjectRecord?, key: String) throws(S3Error) {
        if isNew, object != nil { throw .preconditionFailed("If-None-Match") }
        if let etag {
            guard let object else { throw .noSuchKey(key) }
            guard RequestConditions.matches(etag, object.etag) else { throw .preconditionFailed("If-Match") }
        }
    }
}
