import Tables

/// What a page's `nextToken` says of its sync, sealed.
struct SyncToken {
    var startedAt: Int64
    /// Nil is the base.
    var since: Int64?
    /// The key by which the base is read; nil of one in creation order.
    var index: Int64?
    var position: Position

    init(startedAt: Int64, since: Int64?, index: Int64?, position: Position) {
        (self.startedAt, self.since, self.index, self.position) = (startedAt, since, index, position)
    }

    /// `startedAt`, then `since`, or 0 of the base, or the negative of its key; then the position.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for word in [startedAt, since ?? index.map { -$0 } ?? 0] {
            unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes + position.tokenBytes
    }

    init?(bytes: [UInt8]) {
        guard bytes.count >= 16, let position = Position(tokenBytes: Array(bytes[16...])) else { return nil }
        // Memory safety: there are sixteen bytes, and `offset` is 0 or 8.
        func word(at offset: Int) -> Int64 {
            unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int64.self).littleEndian
            }
        }
        let since = word(at: 8)
        self.init(
            startedAt: word(at: 0), since: since > 0 ? since : nil, index: since < 0 ? 0 &- since : nil,
            position: position)
    }
}
