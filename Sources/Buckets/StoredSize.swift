/// What an object or a part takes of the configured storage.
struct StoredSize: Sendable, Hashable {
    /// Bytes of the body.
    var contentBytes = 0
    /// Bytes beside the body: `recordBytes`, those of the key and those of the metadata.
    var overheadBytes = 0

    /// Counted for each object and each part: its row, its entries in indexes, and its file's inode and name.
    static let recordBytes = 1_024

    static func - (left: StoredSize, right: StoredSize) -> StoredSize {
        StoredSize(
            contentBytes: left.contentBytes - right.contentBytes,
            overheadBytes: left.overheadBytes - right.overheadBytes)
    }
}
