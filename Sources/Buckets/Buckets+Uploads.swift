import Tables

extension Buckets {
    /// Commits a part whose blob is pending, replacing a part with the same number. If the commit failed, the blob is
    /// removed.
    func put(_ part: PartRecord, of upload: UploadRecord) async throws(S3Error) {
        do throws(CommitError) {
            for _ in 0..<100 {
                let stored = try await CommitError.failing { () async throws(S3Error) in
                    try await metadata.read { reader throws(S3Error) in
                        try reader.record(PartRecord.self, .text(part.upload), .integer(Int64(part.number)))
                    }
                }
                var part = part
                part.revision = stored?.revision ?? 0
                // The upload may have been completed or aborted concurrently.
                let writes: [RecordWrite] = [.require(upload), stored == nil ? .insert(part) : .replace(part)]
                if try await metadata.write(writes) {
                    blobs.keep(part.blob)
                    if let stored { removeBlob(stored.blob, byteCount: stored.size) }
                    usage.add(part.storedSize - (stored?.storedSize ?? StoredSize()))
                    return
                }
                let isOpen = try await CommitError.failing { () async throws(S3Error) in
                    try await metadata.read { reader throws(S3Error) in
                        try reader.record(
                            UploadRecord.self, .text(UploadRecord.open(upload.bucket)),
                            .text(UploadRecord.position(upload.objectKey, upload.id))) != nil
                    }
                }
                guard isOpen else { throw .failed(.noSuchUpload(upload.id)) }
            }
            throw .failed(.slowDown)
        } catch {
            if case .failed = error { blobs.remove(part.blob) }
            throw error.s3Error
        }
    }

    /// Parts of an upload in the order of their numbers, read in pieces.
    func parts(
        of id: String, after number: Int = 0, limit: Int = .max, turn: ListTurn = .server
    ) async throws(S3Error) -> [PartRecord] {
        var parts: [PartRecord] = []
        while parts.count < limit {
            let sort = SortCondition(
                sortOperator: .gt, operands: [[.integer(Int64(parts.last?.number ?? number))]])
            let countMax = min(limit - parts.count, Self.piecePartsMax)
            let piece = try await metadata.list(turn) { reader throws(S3Error) in
                var piece: [PartRecord] = []
                try reader.forEach(PartRecord.self, in: id, where: sort) { part throws(S3Error) in
                    piece.append(part)
                    return piece.count < countMax
                }
                return piece
            }
            parts += piece
            guard piece.count == countMax else { break }
        }
        return parts
    }

    /// Parts that are read at a time.
    private static let piecePartsMax = 500

    /// Removes the parts of a completed or aborted upload. If this is interrupted, `collect` removes the rest.
    func removeParts(of id: String) async throws(S3Error) {
        while true {
            let parts = try await parts(of: id, limit: 200)
            guard !parts.isEmpty else { return }
            // If a part was changed concurrently, read them again.
            guard try await commit(parts.map { .delete($0) }) else { continue }
            for part in parts {
                removeBlob(part.blob, byteCount: part.size)
                usage.subtract(part.storedSize)
            }
        }
    }
}
