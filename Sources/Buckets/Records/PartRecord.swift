import Tables

/// A part of an upload. One that was uploaded again has taken the place of the one before.
struct PartRecord: Record {
    /// The id of the upload.
    var upload: String
    /// 1 to `BucketLimits.partsMax`.
    var number: Int
    /// The name of the blob that has its bytes.
    var blob: String
    /// Bytes.
    var size: Int64
    /// The MD5 in hexadecimal.
    var etag: String
    /// Milliseconds since 1970.
    var modified: Int64
    var checksum: ObjectChecksum?
    /// Where the upload is: its bucket and `UploadRecord.position`.
    var bucket: String
    var position: String
    var revision: Int64 = 0

    static let table = Table(
        system: BucketTables.namePrefix + "Parts", ["upload", "number", "blob", "size", "document"],
        integers: ["number", "size"],
        key: ("upload", "number"), indexes: [("byBlob", "blob", nil)])

    init(
        upload: UploadRecord, number: Int, blob: String, size: Int64, etag: String, modified: Int64,
        checksum: ObjectChecksum?
    ) {
        (self.upload, self.number, self.blob, self.size) = (upload.id, number, blob, size)
        (self.etag, self.modified, self.checksum) = (etag, modified, checksum)
        (bucket, position) = (upload.bucket, UploadRecord.position(upload.objectKey, upload.id))
    }

    init?(_ row: [Value], revision: Int64) {
        guard let upload = row[0].text, let blob = row[2].text, let document = RecordDocument(row[4].text),
            let etag = document.string("etag"), let bucket = document.string("bucket"),
            let position = document.string("position")
        else { return nil }
        (self.upload, number, self.blob, size) = (upload, Int(row[1].asInteger), blob, row[3].asInteger)
        (self.etag, modified) = (etag, document.integer("modified") ?? 0)
        (self.bucket, self.position) = (bucket, position)
        checksum = document.checksum("checksum")
        self.revision = revision
    }

    /// What the part takes of the storage. Its metadata have a bounded size.
    var storedSize: StoredSize { StoredSize(contentBytes: Int(size), overheadBytes: StoredSize.recordBytes) }

    var row: [Value] {
        var document = RecordDocument()
        document.set("etag", etag)
        document.set("modified", modified)
        document.set("bucket", bucket)
        document.set("position", position)
        document.set("checksum", checksum)
        return [.text(upload), .integer(Int64(number)), .text(blob), .integer(size), .text(document.text)]
    }
}
