import Tables

/// A multipart upload: one in progress, or for a day one that was completed, so that its completion can be repeated.
struct UploadRecord: Record {
    var bucket: String
    var objectKey: String
    /// Begins with the time of the initiation, so that uploads of a key are ordered by it.
    var id: String
    /// Milliseconds since 1970: when it was begun, or completed.
    var created: Int64
    var headers = ObjectHeaders()
    var tags: [(name: String, value: String)] = []
    /// The checksum that parts and object have.
    var algorithm: ChecksumAlgorithm?
    var checksumType: ChecksumType?
    /// Who began it: `BucketCaller.principal`.
    var initiator: String
    var initiatorClass = InitiatorClass.user
    /// The ETag of the object, once it was completed.
    var completedETag: String?
    var completedChecksum: ObjectChecksum?
    var revision: Int64 = 0

    /// The index of uploads by `created`, and its partitions: uploads in progress, and those that were completed. Completed ones
    /// that earlier releases stored are in the former.
    static let byCreation = 0
    static let (inProgress, ended) = ("all", "completed")

    static let table = Table(
        system: BucketTables.namePrefix + "Uploads", ["box", "position", "all", "created", "document"],
        integers: ["created"], key: ("box", "position"),
        indexes: [("byCreation", "all", "created")])

    init(bucket: String, key: String, id: String, created: Int64, initiator: String) {
        (self.bucket, objectKey, self.id, self.created) = (bucket, key, id, created)
        self.initiator = initiator
    }

    /// The partition of a bucket's uploads in progress.
    static func open(_ bucket: String) -> String { "open#\(bucket)" }
    /// The partition of a bucket's uploads that were completed.
    static func completed(_ bucket: String) -> String { "completed#\(bucket)" }
    /// Where an upload stands among those of its bucket. Keys have no NUL.
    static func position(_ key: String, _ id: String) -> String { "\(key)\0\(id)" }

    init?(_ row: [Value], revision: Int64) {
        guard let document = RecordDocument(row[4].text), let bucket = document.string("bucket"),
            let key = document.string("key"), let id = document.string("id"),
            let initiator = document.string("initiator")
        else { return nil }
        self.init(bucket: bucket, key: key, id: id, created: row[3].asInteger, initiator: initiator)
        // Absent in uploads that earlier versions stored.
        initiatorClass = document.string("initiatorClass").flatMap(InitiatorClass.init) ?? .user
        headers = ObjectHeaders(document)
        tags = document.pairs("tags")
        algorithm = document.string("algorithm").flatMap(ChecksumAlgorithm.init)
        checksumType = document.string("checksumType").flatMap(ChecksumType.init)
        completedETag = document.string("etag")
        completedChecksum = document.checksum("checksum")
        self.revision = revision
    }

    /// What is stored of the upload once it was completed: what a repeated completion is answered with.
    ///
    /// - Parameters:
    ///   - etag: That of the object.
    ///   - now: The time of the completion.
    func completed(etag: String, _ checksum: ObjectChecksum?, at now: Int64) -> UploadRecord {
        var completed = UploadRecord(bucket: bucket, key: objectKey, id: id, created: now, initiator: initiator)
        completed.initiatorClass = initiatorClass
        (completed.completedETag, completed.completedChecksum) = (etag, checksum)
        return completed
    }

    /// What the row takes of the storage; `Buckets.collect` computes the same from the columns.
    var storedSize: StoredSize {
        StoredSize(
            overheadBytes: StoredSize.recordBytes + Self.position(objectKey, id).utf8.count + documentText.utf8.count)
    }

    var row: [Value] {
        [
            .text(completedETag == nil ? Self.open(bucket) : Self.completed(bucket)),
            .text(Self.position(objectKey, id)), .text(completedETag == nil ? Self.inProgress : Self.ended),
            .integer(created), .text(documentText),
        ]
    }

    private var documentText: String {
        var document = RecordDocument()
        document.set("bucket", bucket)
        document.set("key", objectKey)
        document.set("id", id)
        document.set("initiator", initiator)
        document.set("initiatorClass", initiatorClass.rawValue)
        headers.store(in: &document)
        document.set("tags", tags)
        document.set("algorithm", algorithm?.rawValue)
        document.set("checksumType", checksumType?.rawValue)
        document.set("etag", completedETag)
        document.set("checksum", completedChecksum)
        return document.text
    }
}
