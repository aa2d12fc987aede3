import Tables

extension OperationCall {
    /// DeleteBucket: the bucket must have no objects and no uploads in progress. Buckets of the configuration cannot be deleted.
    func deleteBucket() async throws(S3Error) -> S3Response {
        try authorizeOperator()
        guard try buckets.directory.bucket(bucket).settings == nil else {
            throw S3Error(
                "AccessDenied", 403, "The bucket is in the server's configuration; remove it there before.")
        }
        try buckets.directory.beginRemoval(bucket)
        var isRemoved = false
        defer { buckets.directory.endRemoval(bucket, isRemoved: isRemoved) }
        let name = bucket
        let (record, isEmpty) = try await buckets.metadata.read { reader throws(S3Error) in
            var isEmpty = true
            try reader.forEach(ObjectRecord.self, in: name) { _ throws(S3Error) in
                isEmpty = false
                return false
            }
            try reader.forEach(UploadRecord.self, in: UploadRecord.open(name)) { _ throws(S3Error) in
                isEmpty = false
                return false
            }
            return (try reader.record(BucketRecord.self, .text(BucketRecord.all), .text(name)), isEmpty)
        }
        guard let record else { throw .noSuchBucket(bucket) }
        guard isEmpty else { throw .bucketNotEmpty(bucket) }
        try await removeCompletedUploads()
        guard try await buckets.commit([.delete(record)]) else { throw .slowDown }
        isRemoved = true
        return S3Response(204)
    }

    /// Forgets the completed uploads of the bucket, so that a bucket of the same name does not confirm them.
    private func removeCompletedUploads() async throws(S3Error) {
        let box = UploadRecord.completed(bucket)
        while true {
            let uploads = try await buckets.metadata.list { reader throws(S3Error) in
                var uploads: [UploadRecord] = []
                try reader.forEach(UploadRecord.self, in: box) { upload throws(S3Error) in
                    uploads.append(upload)
                    return uploads.count < 200
                }
                return uploads
            }
            guard !uploads.isEmpty else { return }
            // If one of them was removed concurrently, the rest is read again.
            guard try await buckets.commit(uploads.map { .delete($0) }) else { continue }
            for upload in uploads { buckets.noteRemoval(of: upload) }
        }
    }
}
