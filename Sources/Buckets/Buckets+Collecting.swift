import Tables

extension Buckets {
    /// The result of `collect`.
    public struct Collection: Sendable, Hashable {
        /// Number of removed blobs that no metadata referenced.
        public var orphanCount = 0
        /// Number of removed uploads that were not completed in time.
        public var abandonedCount = 0
    }

    /// Counts stored objects and bytes, and removes what a crash left behind: parts of ended uploads and unreferenced
    /// blobs. Called once at startup. Requests may run concurrently; until counting is done, the limits on total
    /// storage only consider what was stored since startup. If the task is cancelled, it throws SlowDown and leaves the rest to
    /// the next start.
    public func collect() async throws(S3Error) -> Collection {
        try await countEvents()
        let (before, objectCount, completedCount) = (usage.size, usage.stored.objects, usage.completedCount)
        let objects = try await total(ObjectRecord.self, "size", texts: ["key", "document"])
        let parts = try await total(PartRecord.self, "size")
        let uploads = try await total(UploadRecord.self, nil, texts: ["position", "document"])
        usage.add(completed: try await completedUploadCount() - completedCount)
        let stored = StoredSize(
            contentBytes: objects.sum + parts.sum,
            overheadBytes: objects.textBytes + uploads.textBytes
                + StoredSize.recordBytes * (objects.count + parts.count + uploads.count))
        // Objects stored while counting may be counted twice. The next start corrects it.
        usage.add(stored - before, objects: objects.count - objectCount)
        try await removeEndedParts()
        var collection = Collection()
        collection.orphanCount = try await blobs.collectOrphans { names throws(S3Error) in
            guard !Task.isCancelled else { throw .slowDown }
            return try await metadata.list { reader throws(S3Error) in
                var isReferenced: [Bool] = []
                for name in names {
                    var isFound = false
                    try reader.forEach(ObjectRecord.self, index: 0, in: name) { _ throws(S3Error) in
                        isFound = true
                        return false
                    }
                    if !isFound {
                        try reader.forEach(PartRecord.self, index: 0, in: name) { _ throws(S3Error) in
                            isFound = true
                            return false
                        }
                    }
                    isReferenced.append(isFound)
                }
                return isReferenced
            }
        }
        collection.abandonedCount = try await removeAbandonedUploads()
        return collection
    }

    /// The number of rows of a table, the sum of a column and the bytes of texts, read in pieces so that other reads run in
    /// between.
    private func total<Kind: Record>(
        _ kind: Kind.Type, _ column: String?, texts: [String] = []
    ) async throws(S3Error) -> (count: Int, sum: Int, textBytes: Int) {
        var (count, sum, textBytes) = (0, 0, 0)
        var next: Position?
        repeat {
            let after = next
            let page = try await metadata.list { reader throws(S3Error) in
                try reader.sum(of: column, texts: texts, in: kind, after: after, limit: 5_000)
            }
            count += page.count
            sum += page.sum
            textBytes += page.textBytes
            next = page.next
            guard !Task.isCancelled else { throw .slowDown }
        } while next != nil
        return (count, sum, textBytes)
    }

    /// The number of rows of completed uploads, read in pieces.
    private func completedUploadCount() async throws(S3Error) -> Int {
        var count = 0
        var next: Position?
        repeat {
            let after = next
            let page = try await metadata.list { reader throws(S3Error) in
                try reader.counts(by: "all", in: UploadRecord.self, after: after, limit: 5_000)
            }
            count += page.counts[UploadRecord.ended] ?? 0
            next = page.next
            guard !Task.isCancelled else { throw .slowDown }
        } while next != nil
        return count
    }

    /// Removes uploads that exceeded `abandonedUploadDays`, and records of completed uploads after a day, or earlier if there are
    /// more than `completedUploadsMax`; and files that were kept for a backup. Called once a minute.
    ///
    /// - Returns: Number of removed uploads that were not completed.
    @discardableResult
    public func removeAbandonedUploads() async throws(S3Error) -> Int {
        blobs.removeKept()
        let day: Int64 = 86_400_000
        let abandoned = try await removeUploads(
            in: UploadRecord.inProgress, before: now - Int64(limits.abandonedUploadDays) * day)
        _ = try await removeUploads(in: UploadRecord.ended, before: now - day)
        let excess = usage.completedCount - limits.completedUploadsMax
        if excess > 0 { _ = try await removeUploads(in: UploadRecord.ended, before: .max, countMax: excess) }
        return abandoned
    }

    /// Removes the oldest uploads of a partition of the index by creation.
    ///
    /// - Returns: Number of removed uploads that were not completed.
    private func removeUploads(
        in partition: String, before time: Int64, countMax: Int = .max
    ) async throws(S3Error) -> Int {
        let oldest = SortCondition(sortOperator: .lt, operands: [[.integer(time)]])
        var (count, abandonedCount) = (0, 0)
        while count < min(countMax, Self.removedMax), !Task.isCancelled {
            let limit = min(Self.removedTogetherMax, countMax - count)
            let uploads = try await metadata.list { reader throws(S3Error) in
                var uploads: [UploadRecord] = []
                try reader.forEach(UploadRecord.self, index: UploadRecord.byCreation, in: partition, where: oldest) {
                    upload throws(S3Error) in
                    uploads.append(upload)
                    return uploads.count < limit
                }
                return uploads
            }
            guard !uploads.isEmpty else { break }
            var removed: [UploadRecord] = []
            if try await commit(uploads.map { .delete($0) }) {
                removed = uploads
            } else {
                // Some were completed or aborted concurrently.
                for upload in uploads where try await commit([.delete(upload)]) { removed.append(upload) }
            }
            for upload in removed {
                noteRemoval(of: upload)
                if upload.completedETag == nil { abandonedCount += 1 }
                try await removeParts(of: upload.id)
            }
            count += uploads.count
        }
        return abandonedCount
    }

    /// Adjusts the counts after the row of an upload was removed.
    func noteRemoval(of upload: UploadRecord) {
        usage.subtract(upload.storedSize)
        if upload.completedETag == nil { directory.endUpload(upload) } else { usage.add(completed: -1) }
    }

    /// Uploads that are removed in one call, and in one transaction.
    private static let (removedMax, removedTogetherMax) = (100_000, 100)

    /// Removes parts whose upload was completed or aborted.
    private func removeEndedParts() async throws(S3Error) {
        let ended = try await metadata.list { reader throws(S3Error) in
            var (ended, isOpen, last): ([String], Bool, String) = ([], true, "")
            try reader.forAll(PartRecord.self) { part throws(S3Error) in
                if part.upload != last {
                    last = part.upload
                    isOpen =
                        try reader.record(
                            UploadRecord.self, .text(UploadRecord.open(part.bucket)), .text(part.position)) != nil
                    if !isOpen { ended.append(part.upload) }
                }
                return true
            }
            return ended
        }
        for id in ended { try await removeParts(of: id) }
    }
}
