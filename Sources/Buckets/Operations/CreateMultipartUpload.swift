import Tables

extension OperationCall {
    /// CreateMultipartUpload.
    func createMultipartUpload() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let created = buckets.now
        var upload = UploadRecord(
            bucket: bucket, key: key, id: "\(SortableNumber.text(created))\(buckets.randomText(16))", created: created,
            initiator: context.caller.principal)
        upload.headers = try ObjectHeaders(request, limits: buckets.limits)
        upload.tags = try ObjectTags.read(request.field("x-amz-tagging"))
        if let name = request.field("x-amz-checksum-algorithm") {
            guard let algorithm = ChecksumAlgorithm(rawValue: name) else {
                throw .invalidRequest("Checksum algorithm provided is unsupported.")
            }
            let type = try request.field("x-amz-checksum-type").map { name throws(S3Error) in
                guard let type = ChecksumType(rawValue: name) else {
                    throw S3Error.invalidRequest("Value for x-amz-checksum-type header is invalid.")
                }
                return type
            }
            (upload.algorithm, upload.checksumType) = (algorithm, type ?? algorithm.defaultType)
            guard algorithm.allows(upload.checksumType ?? .composite) else {
                throw .invalidRequest(
                    "The \(type?.rawValue ?? "") checksum type cannot be used with the \(name.asciiLowercased) checksum algorithm."
                )
            }
        }
        try await boundUploads()
        try buckets.directory.beginCommit(bucket)
        defer { buckets.directory.endCommit(bucket) }
        guard try await buckets.commit([.insert(upload)]) else { throw .internalError }
        buckets.directory.addUpload(1, in: bucket)
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

    private func boundUploads() async throws(S3Error) {
        let name = bucket
        var count = try buckets.directory.bucket(name).uploadCount
        if count == nil {
            let counted = try await buckets.metadata.read { reader throws(S3Error) in
                var count = 0
                try reader.forEach(UploadRecord.self, in: UploadRecord.open(name)) { _ throws(S3Error) in
                    count += 1
                    return true
                }
                return count
            }
            buckets.directory.set(uploadCount: counted, of: name)
            count = counted
        }
        if let count, count >= buckets.limits.uploadsMax { throw .slowDown }
    }

    /// The upload that the request names, in progress.
    func upload() async throws(S3Error) -> UploadRecord {
        guard let upload = try await upload(in: UploadRecord.open(bucket)) else {
            throw .noSuchUpload(request.parameter("uploadId") ?? "")
        }
        return upload
    }

    /// The upload that the request names, in progress or completed.
    func upload(in box: String) async throws(S3Error) -> UploadRecord? {
        let position = UploadRecord.position(key, request.parameter("uploadId") ?? "")
        return try await buckets.metadata.read { reader throws(S3Error) in
            try reader.record(UploadRecord.self, .text(box), .text(position))
        }
    }
}
