import Encodings
import Tables

/// An object: the metadata of its one version. Ordered in its bucket by the bytes of the key.
struct ObjectRecord: Record {
    var bucket: String
    var objectKey: String
    /// The name of the blob that has its bytes.
    var blob: String
    /// Bytes.
    var size: Int64
    /// Without quotes: the MD5 in hexadecimal, or that of the parts' MD5s and `-` and their number.
    var etag: String
    /// Milliseconds since 1970. Raised with each version of a key, also when the clock steps back.
    var modified: Int64
    var headers = ObjectHeaders()
    var checksum: ObjectChecksum?
    var tags: [(name: String, value: String)] = []
    /// The sizes of the parts of an object that was uploaded in parts.
    var parts: PartSizes?
    var revision: Int64 = 0

    static let table = Table(
        system: BucketTables.namePrefix + "Objects",
        ["bucket", "key", "blob", "size", "etag", "modified", "document", "parts"],
        integers: ["size", "modified"], key: ("bucket", "key"), indexes: [("byBlob", "blob", nil)])

    init(bucket: String, key: String, blob: String, size: Int64, etag: String, modified: Int64) {
        (self.bucket, objectKey, self.blob) = (bucket, key, blob)
        (self.size, self.etag, self.modified) = (size, etag, modified)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let bucket = row[0].text, let key = row[1].text, let blob = row[2].text, let etag = row[4].text,
            let document = RecordDocument(row[6].text)
        else { return nil }
        self.init(
            bucket: bucket, key: key, blob: blob, size: row[3].asInteger, etag: etag, modified: row[5].asInteger)
        headers = ObjectHeaders(document)
        checksum = document.checksum("checksum")
        tags = document.pairs("tags")
        parts = row[7].text.flatMap(PartSizes.init(text:))
        self.revision = revision
    }

    var row: [Value] {
        [
            .text(bucket), .text(objectKey), .text(blob), .integer(size), .text(etag), .integer(modified),
            .text(documentText), Value(parts?.text),
        ]
    }

    private var documentText: String {
        var document = RecordDocument()
        headers.store(in: &document)
        document.set("checksum", checksum)
        document.set("tags", tags)
        return document.text
    }

    /// What the object takes of the storage; `Buckets.collect` computes the same from the columns.
    var storedSize: StoredSize {
        StoredSize(
            contentBytes: Int(size),
            overheadBytes: StoredSize.recordBytes + objectKey.utf8.count + documentText.utf8.count)
    }

    /// The headers of the answer to a read of the whole object.
    var answerFields: [(name: String, value: String)] {
        versionFields + [("Accept-Ranges", "bytes")] + headers.lines
    }

    /// The headers that say which version it is.
    var versionFields: [(name: String, value: String)] {
        [("ETag", quotedETag), ("Last-Modified", HTTPTime.text(seconds: modified / 1_000))]
    }

    /// The ETag as headers and elements have it.
    var quotedETag: String { "\"\(etag)\"" }
}
