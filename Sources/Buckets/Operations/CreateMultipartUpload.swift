import JSON
import Tables

extension OperationCall {
    /// CreateMultipartUpload.
    func createMultipartUpload() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let created = buckets.now
        var upload = UploadRecord(
            bucket: bucket, key: key, id: "\(SortableNumber.text(created))\(buckets.randomText(16))", created: created,
            initiator: caller.principal)
        upload.initiatorClass = InitiatorClass(caller)
        upload.headers = try ObjectHeaders(request, limits: buckets.limits)
        upload.tags = try storedTags()
        if let name = request.field("x-amz-checksum-algorithm") {
            let algorithm = try ChecksumAlgorithm.named(name)
            let type = try request.field("x-amz-checksum-type").map(ChecksumType.named)
            (upload.algorithm, upload.checksumType) = (algorithm, type ?? algorithm.defaultType)
            guard algorithm.allows(upload.checksumType ?? .composite) else {
                throw .invalidRequest(
                    "The \(type?.rawValue ?? "") checksum type cannot be used with the \(name.asciiLowercased) checksum algorithm."
                )
            }
        }
        try buckets.directory.beginCommit(bucket)
        defer { buckets.directory.endCommit(bucket) }
        try await begin(upload)
        let xml = XMLWriter(root: "InitiateMultipartUploadResult") { xml in
            xml.add("Bucket", bucket)
            xml.add("Key", key)
            xml.add("UploadId", upload.id)
        }
        var headers: [(name: String, value: String)] = []
        if let algorithm = upload.algorithm, let type = upload.checksumType {
            headers = [("x-amz-checksum-algorithm", algorithm.rawValue), ("x-amz-checksum-type", type.rawValue)]
        }
        return S3Response(xml, 200, headers)
    }

    /// Commits an upload if there is room for it.
    private func begin(_ upload: UploadRecord) async throws(S3Error) {
        let reserved = upload.storedSize.overheadBytes
        try buckets.usage.reserve(reserved, buckets.limits)
        defer { buckets.usage.release(reserved) }
        if !(try buckets.directory.beginUpload(upload, buckets.limits)) {
            let name = bucket
            let counted = try await buckets.metadata.list(turn) { reader throws(S3Error) in
                var counts = UploadCounts()
                try reader.forEach(UploadRecord.self, in: UploadRecord.open(name)) { upload throws(S3Error) in
                    counts.add(upload)
                    return true
                }
                return counts
            }
            buckets.directory.set(counted, of: name)
            guard try buckets.directory.beginUpload(upload, buckets.limits) else { throw .noSuchBucket(name) }
        }
        do throws(S3Error) {
            guard try await buckets.commit([.insert(upload)]) else { throw .internalError }
            buckets.usage.add(upload.storedSize)
        } catch {
            buckets.directory.endUpload(upload)
            throw error
        }
    }

    /// Refuses a caller who has not begun the upload. The upload's id lets anyone who may write the key add parts and complete it,
    /// but not see its parts or abort it (Amazon S3 User Guide, "Multipart upload API and permissions").
    func authorizeInitiator(of upload: UploadRecord) throws(S3Error) {
        guard caller.isOperator || upload.initiator.isExactly(caller.principal) else {
            throw .accessDenied
        }
    }

    /// The upload that the request names, in progress.
    func upload() async throws(S3Error) -> UploadRecord {
        guard let upload = try await upload(in: UploadRecord.open(bucket)) else {
            throw .noSuchUpload(request.parameter("uploadId") ?? "")
        }
        return upload
    }

    /// The upload that the request names, in one partition of the uploads; nil if it is not there.
    ///
    /// - Parameter box: `UploadRecord.open` of the bucket for those in progress, `UploadRecord.completed` for the others.
    func upload(in box: String) async throws(S3Error) -> UploadRecord? {
        let position = UploadRecord.position(key, request.parameter("uploadId") ?? "")
        return try await buckets.metadata.read { reader throws(S3Error) in
            try reader.record(UploadRecord.self, .text(box), .text(position))
        }
    }
}
