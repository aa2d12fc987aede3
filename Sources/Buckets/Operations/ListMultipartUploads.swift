import Encodings
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
    }

    /// Uploads are bounded (`BucketLimits.uploadsMax`), so that those under a common prefix are read one by one.
    private func uploads(
        _ query: ObjectListQuery, after key: String, _ id: String, _ max: Int
    ) async throws(S3Error) -> Page {
        try await buckets.metadata.list { reader throws(S3Error) in
            var page = Page()
            guard max > 0 else { return page }
            let afterMarker =
                id.isEmpty
                ? SortCondition(sortOperator: .ge, operands: [[.text(key + "\u{1}")]])
                : SortCondition(sortOperator: .gt, operands: [[.text(UploadRecord.position(key, id))]])
            let sort =
                key.isEmpty || key.utf8.lexicographicallyPrecedes(query.prefix.utf8)
                ? SortCondition(sortOperator: .ge, operands: [[.text(query.prefix)]]) : afterMarker
            try reader.forEach(UploadRecord.self, in: UploadRecord.open(query.bucket), where: sort) {
                upload throws(S3Error) in
                guard upload.objectKey.hasBytePrefix(query.prefix) else { return false }
                let prefix = query.commonPrefix(of: upload.objectKey)
                if let prefix, page.commonPrefixes.last == prefix || prefix == key { return true }
                guard page.uploads.count + page.commonPrefixes.count < max else {
                    page.isTruncated = true
                    return false
                }
                if let prefix {
                    page.commonPrefixes.append(prefix)
                    (page.nextKey, page.nextID) = (prefix, "")
                } else {
                    page.uploads.append(upload)
                    (page.nextKey, page.nextID) = (upload.objectKey, upload.id)
                }
                return true
            }
            return page
        }
    }
}
