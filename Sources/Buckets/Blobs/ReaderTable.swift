/// The readers of open blobs, and how many bytes they hold of blobs that were removed.
struct ReaderTable {
    private struct Entry {
        let access = BlobAccess()
        var count = 0
        /// Whether `removed` has the blob.
        var isHeld = false
    }

    private struct RemovedBlob {
        let name: String
        let byteCount: Int
    }

    private var entries: [String: Entry] = [:]
    /// Removed blobs that are open and not revoked, in the order of their removal.
    private var removed: [RemovedBlob] = []
    /// Bytes of `removed`.
    private(set) var heldBytes = 0

    /// Begins a reader.
    mutating func begin(_ name: String) -> BlobAccess {
        var entry = entries[name] ?? Entry()
        entry.count += 1
        entries[name] = entry
        return entry.access
    }

    /// Ends a reader.
    mutating func end(_ name: String) {
        guard let entry = entries[name] else { return }
        guard entry.count == 1 else {
            entries[name]?.count -= 1
            return
        }
        entries[name] = nil
        guard entry.isHeld, let index = removed.firstIndex(where: { $0.name == name }) else { return }
        heldBytes -= removed.remove(at: index).byteCount
    }

    /// Counts a removed blob until its last reader has ended.
    ///
    /// - Returns: What is to be revoked: beyond the maximum, the blobs that were removed first.
    mutating func remove(_ name: String, byteCount: Int, heldBytesMax: Int) -> [BlobAccess] {
        guard entries[name]?.isHeld == false else { return [] }
        entries[name]?.isHeld = true
        removed.append(RemovedBlob(name: name, byteCount: byteCount))
        heldBytes += byteCount
        var revokedCount = 0
        while heldBytes > heldBytesMax, revokedCount < removed.count {
            heldBytes -= removed[revokedCount].byteCount
            revokedCount += 1
        }
        defer { removed.removeFirst(revokedCount) }
        return removed.prefix(revokedCount).compactMap { blob in
            entries[blob.name]?.isHeld = false
            return entries[blob.name]?.access
        }
    }
}
