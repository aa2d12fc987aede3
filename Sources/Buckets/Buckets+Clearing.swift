import Tables

extension Buckets {
    /// Removes all objects and multipart uploads of all buckets, and the object events that wait for their functions. It causes no
    /// object events. Buckets stay.
    ///
    /// - Returns: The number of removed objects, and of removed uploads in progress.
    public func removeAll() async throws(S3Error) -> (objects: Int, uploads: Int) {
        try await removeAllEvents()
        var (objectCount, uploadCount) = (0, 0)
        for bucket in directory.all.map(\.record.name) {
            objectCount += try await removeAllObjects(of: bucket)
            uploadCount += try await removeAllUploads(in: UploadRecord.open(bucket))
            _ = try await removeAllUploads(in: UploadRecord.completed(bucket))
        }
        return (objectCount, uploadCount)
    }

    /// Records that are removed in one transaction.
    private static let clearedMax = 100

    private func removeAllObjects(of bucket: String) async throws(S3Error) -> Int {
        var count = 0
        while true {
            let objects = try await first(ObjectRecord.self, in: bucket)
            guard !objects.isEmpty else { return count }
            // If one of them was changed concurrently, all are read again.
            guard try await commit(objects.map { .delete($0) }) else { continue }
            for object in objects {
                removeBlob(object.blob, byteCount: object.size)
                usage.subtract(object.storedSize, objects: 1)
            }
            count += objects.count
        }
    }

    /// - Parameter partition: `UploadRecord.open` or `UploadRecord.completed` of a bucket.
    private func removeAllUploads(in partition: String) async throws(S3Error) -> Int {
        var count = 0
        while true {
            let uploads = try await first(UploadRecord.self, in: partition)
            guard !uploads.isEmpty else { return count }
            guard try await commit(uploads.map { .delete($0) }) else { continue }
            for upload in uploads {
                noteRemoval(of: upload)
                try await removeParts(of: upload.id)
            }
            count += uploads.count
        }
    }

    private func removeAllEvents() async throws(S3Error) {
        for function in try await eventFunctions() {
            while true {
                let queued = try await first(EventRecord.self, in: function)
                guard !queued.isEmpty else { break }
                if try await commit(queued.map { .delete($0) }) { events.add(-queued.count, of: function) }
            }
        }
    }

    /// The first records of a partition.
    private func first<Kind: Record>(_ kind: Kind.Type, in partition: String) async throws(S3Error) -> [Kind] {
        try await metadata.read { reader throws(S3Error) in
            var records: [Kind] = []
            try reader.forEach(kind, in: partition) { record throws(S3Error) in
                records.append(record)
                return records.count < Self.clearedMax
            }
            return records
        }
    }
}
