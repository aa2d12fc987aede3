import Encodings
import Tables

extension Buckets {
    /// Maximum number of attempts of an optimistic update.
    private static let attemptsMax = 200

    /// Returns the object with a key; nil if it does not exist.
    func object(_ bucket: String, _ key: String) async throws(S3Error) -> ObjectRecord? {
        try await metadata.read { reader throws(S3Error) in
            try reader.record(ObjectRecord.self, .text(bucket), .text(key))
        }
    }

    /// Commits an object whose blob is pending, replacing the present version: the last writer wins. Afterwards the
    /// blob is kept and the replaced one removed; if the commit failed, the new blob is removed.
    ///
    /// - Parameters:
    ///   - writes: Further writes of the same transaction.
    ///   - onConflict: Called if the transaction was refused, before the next attempt; may throw instead.
    /// - Returns: The object as it is stored.
    @discardableResult
    func put(
        _ object: ObjectRecord, event: ObjectEvent.Name, _ context: CallContext,
        if conditions: WriteConditions = WriteConditions(), with writes: [RecordWrite] = [],
        onConflict: (@Sendable () async throws(S3Error) -> Void)? = nil
    ) async throws(S3Error) -> ObjectRecord {
        do throws(CommitError) {
            return try await tryPut(object, event, context, conditions, writes, onConflict)
        } catch {
            // If the outcome is unknown, the blob stays. The next start finds out whether it is referenced.
            if case .failed = error { blobs.remove(object.blob) }
            throw error.s3Error
        }
    }

    private func tryPut(
        _ object: ObjectRecord, _ event: ObjectEvent.Name, _ context: CallContext, _ conditions: WriteConditions,
        _ writes: [RecordWrite], _ onConflict: (@Sendable () async throws(S3Error) -> Void)?
    ) async throws(CommitError) -> ObjectRecord {
        try CommitError.failing { () throws(S3Error) in try directory.beginCommit(object.bucket) }
        defer { directory.endCommit(object.bucket) }
        var object = object
        for _ in 0..<Self.attemptsMax {
            let stored = try await CommitError.failing { () async throws(S3Error) in
                try await self.object(object.bucket, object.objectKey)
            }
            try CommitError.failing { () throws(S3Error) in try conditions.check(stored, key: object.objectKey) }
            // Monotonic even if the clock is set back, for clients that compare times.
            object.modified = max(now, stored.map { $0.modified + 1 } ?? 0)
            object.revision = stored?.revision ?? 0
            let change = ObjectEvent(
                name: event, bucket: object.bucket, key: object.objectKey, size: object.size, etag: object.etag,
                context: context, time: object.modified)
            let queued = try await CommitError.failing { () async throws(S3Error) in try await queue([change]) }
            let own: [RecordWrite] = [stored == nil ? .insert(object) : .replace(object)] + writes
            if try await metadata.write(own + queued.map { .insert($0) }) {
                blobs.keep(object.blob)
                if let stored, stored.blob != object.blob { removeBlob(stored.blob, byteCount: stored.size) }
                usage.add(
                    object.storedSize - (stored?.storedSize ?? StoredSize()), objects: stored == nil ? 1 : 0)
                await noteQueued(queued)
                return object
            }
            if let onConflict { try await CommitError.failing(onConflict) }
        }
        throw .failed(.slowDown)
    }

    /// Changes the metadata of an object without changing its bytes.
    func update(
        _ bucket: String, _ key: String, _ change: (inout ObjectRecord) -> Void
    ) async throws(S3Error) -> ObjectRecord? {
        for _ in 0..<Self.attemptsMax {
            guard var object = try await object(bucket, key) else { return nil }
            let before = object.storedSize
            change(&object)
            if try await commit([.replace(object)]) {
                usage.add(object.storedSize - before)
                return object
            }
        }
        throw .slowDown
    }

    /// Removes the objects with these keys that exist, in transactions of several.
    ///
    /// - Parameter conditions: The conditions that each object must meet.
    func delete(
        _ keys: [String], in bucket: String, _ context: CallContext,
        if conditions: WriteConditions = WriteConditions()
    ) async throws(S3Error) {
        var rest = keys[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.deletedMax))
            rest = rest.dropFirst(batch.count)
            try await deleteBatch(batch, in: bucket, context, conditions)
        }
    }

    /// Keys that are removed in one transaction.
    private static let deletedMax = 100

    private func deleteBatch(
        _ keys: [String], in bucket: String, _ context: CallContext, _ conditions: WriteConditions
    ) async throws(S3Error) {
        for _ in 0..<Self.attemptsMax {
            let stored = try await metadata.read { reader throws(S3Error) in
                var stored: [ObjectRecord] = []
                for key in keys {
                    let object = try reader.record(ObjectRecord.self, .text(bucket), .text(key))
                    try conditions.check(object, key: key)
                    if let object { stored.append(object) }
                }
                return stored
            }
            guard !stored.isEmpty else { return }
            let queued = try await queue(
                stored.map {
                    ObjectEvent(name: .delete, bucket: bucket, key: $0.objectKey, context: context, time: now)
                })
            guard try await commit(stored.map { .delete($0) } + queued.map { .insert($0) }) else { continue }
            for object in stored {
                removeBlob(object.blob, byteCount: object.size)
                usage.subtract(object.storedSize, objects: 1)
            }
            await noteQueued(queued)
            return
        }
        throw .slowDown
    }

    /// Removes the blob of a version that was replaced or deleted. Its bytes count as stored while the file is kept for a backup,
    /// and not while readers still have it open: otherwise slow downloads of old versions would take the place of uploads.
    func removeBlob(_ name: String, byteCount: Int64) {
        let (usage, byteCount) = (usage, Int(byteCount))
        usage.hold(byteCount)
        blobs.retire(name, byteCount: byteCount) { usage.endHold(byteCount) }
    }

    /// Opens the blob of an object. If the object is replaced between both reads, it is read again.
    ///
    /// - Returns: nil if the object does not exist.
    func open(_ bucket: String, _ key: String) async throws(S3Error) -> (object: ObjectRecord, blob: OpenBlob)? {
        var missing: String?
        for _ in 0..<Self.attemptsMax {
            guard let object = try await object(bucket, key) else { return nil }
            do throws(BlobError) {
                return (object, try blobs.open(object.blob))
            } catch {
                // The version has not changed, so its file was removed from outside.
                guard error == .missing, object.blob != missing else {
                    if error == .missing { noteMissingBlob(bucket, key) }
                    throw S3Error(error)
                }
                missing = object.blob
            }
        }
        throw .slowDown
    }

    /// Stores the body of a request as a blob, which is pending afterwards.
    ///
    /// - Parameter reservation: Grows by what has arrived.
    func receive(
        _ reader: PayloadReader, _ reservation: StorageReservation
    ) async throws(S3Error) -> (blob: String, size: Int64, md5: [UInt8]) {
        guard reader.byteCount <= limits.bodyBytesMax else {
            throw .entityTooLarge(reader.byteCount, max: limits.bodyBytesMax)
        }
        try usage.check(reader.byteCount, limits)
        let writer = try S3Error.of { () throws(BlobError) in try blobs.makeWriter() }
        while let bytes = try await reader.next() {
            try reservation.add(bytes.count)
            try S3Error.of { () throws(BlobError) in try writer.append(bytes) }
        }
        let name = try S3Error.of { () throws(BlobError) in try writer.finish() }
        return (name, Int64(writer.byteCount), reader.md5Digest)
    }
}
