import Encodings
import JSON
import Tables

extension OperationCall {
    /// ListMultipartUploads, ordered by key and then by when they were begun. Only operators may list uploads: Amplify's roles do not
    /// allow `s3:ListBucketMultipartUploads`, and who knows an upload's id may write to it.
    func listMultipartUploads() async throws(S3Error) -> S3Response {
        let prefix = request.parameter("prefix") ?? ""
        try authorizeOperator()
        let encodesKeys = try keyEncoding()
        let max = try number("max-uploads", default: 1_000, in: 0...1_000)
        let (keyMarker, idMarker) = (
            request.parameter("key-marker") ?? "", request.parameter("upload-id-marker") ?? ""
        )
        var query = ObjectListQuery(bucket: bucket)
        query.prefix = prefix
        query.delimiter = request.parameter("delimiter").flatMap { $0.isEmpty ? nil : $0 }
        let page = try await uploads(query, after: keyMarker, idMarker, max)
        func text(_ key: String) -> String { encodesKeys ? Self.encoded(key) : key }
        let xml = XMLWriter(root: "ListMultipartUploadsResult") { xml in
            xml.add("Bucket", bucket)
            xml.add("KeyMarker", text(keyMarker))
            xml.add("UploadIdMarker", idMarker)
            if page.isTruncated {
                xml.add("NextKeyMarker", text(page.nextKey))
                xml.add("NextUploadIdMarker", page.nextID)
            }
            xml.add("Prefix", text(prefix))
            xml.add("Delimiter", query.delimiter.map(text))
            if encodesKeys { xml.add("EncodingType", "url") }
            xml.add("MaxUploads", max)
            xml.add("IsTruncated", page.isTruncated)
            for upload in page.uploads {
                xml.add("Upload") { xml in
                    xml.add("Key", text(upload.objectKey))
                    xml.add("UploadId", upload.id)
                    xml.addInitiator(of: upload)
                    xml.addOwner("Owner")
                    xml.add("StorageClass", "STANDARD")
                    xml.add("Initiated", DateTime.text(milliseconds: upload.created))
                    xml.add("ChecksumAlgorithm", upload.algorithm?.rawValue)
                    xml.add("ChecksumType", upload.checksumType?.rawValue)
                }
            }
            for prefix in page.commonPrefixes { xml.add("CommonPrefixes") { $0.add("Prefix", text(prefix)) } }
        }
        return S3Response(xml)
    }

    private struct Page: Sendable {
        var uploads: [UploadRecord] = []
        var commonPrefixes: [String] = []
        var isTruncated = false
        var nextKey = ""
        var nextID = ""
        /// Where the next piece begins; nil at the end of the page.
        var rest: SortCondition?

        var entryCount: Int { uploads.count + commonPrefixes.count }
    }

    /// A page, read in pieces, between which other lists have their turn.
    private func uploads(
        _ query: ObjectListQuery, after key: String, _ id: String, _ max: Int
    ) async throws(S3Error) -> Page {
        var page = Page()
        guard max > 0 else { return page }
        page.rest = Self.firstUploads(of: query, after: key, id)
        while let start = page.rest {
            page = try await buckets.metadata.list(turn) { [page] reader throws(S3Error) in
                try Self.piece(of: query, from: start, max, page, reader)
            }
        }
        return page
    }

    /// The uploads from the prefix or the markers on, whichever is later; nil if there are none.
    private static func firstUploads(of query: ObjectListQuery, after key: String, _ id: String) -> SortCondition? {
        if key.isEmpty || key.utf8.lexicographicallyPrecedes(query.prefix.utf8) { return from(query.prefix) }
        if let prefix = query.commonPrefix(of: key), prefix.isExactly(key) { return prefix.afterPrefix.map(from) }
        if id.isEmpty { return from(key + "\u{1}") }
        return SortCondition(sortOperator: .gt, operands: [[.text(UploadRecord.position(key, id))]])
    }

    private static func from(_ position: String) -> SortCondition {
        SortCondition(sortOperator: .ge, operands: [[.text(position)]])
    }

    /// Appends entries to a page. All uploads under a common prefix are skipped with one index seek.
    private static func piece(
        of query: ObjectListQuery, from start: SortCondition, _ max: Int, _ page: Page, _ reader: MetadataReader
    ) throws(S3Error) -> Page {
        var page = page
        page.rest = nil
        let countMax = page.entryCount + Buckets.pieceEntriesMax
        var next: SortCondition? = start
        while let sort = next {
            next = nil
            try reader.forEach(UploadRecord.self, in: UploadRecord.open(query.bucket), where: sort) {
                upload throws(S3Error) in
                guard upload.objectKey.hasBytePrefix(query.prefix) else { return false }
                guard page.entryCount < max else {
                    page.isTruncated = true
                    return false
                }
                guard page.entryCount < countMax else {
                    page.rest = from(UploadRecord.position(upload.objectKey, upload.id))
                    return false
                }
                guard let prefix = query.commonPrefix(of: upload.objectKey) else {
                    page.uploads.append(upload)
                    (page.nextKey, page.nextID) = (upload.objectKey, upload.id)
                    return true
                }
                page.commonPrefixes.append(prefix)
                (page.nextKey, page.nextID) = (prefix, "")
                next = prefix.afterPrefix.map(from)
                return false
            }
        }
        return page
    }
}
