import JSON
import Synchronization

/// Objects that were read recently, so that a read of one of them needs no statement. Shared by the event loops.
///
/// An object is here only while its row in the database is the same. `beginWrite` removes the objects that a transaction may change,
/// and until `endWrite` none of them is kept; nor is a row that was read while a write ended, because it may be of an older snapshot.
/// So a reader sees the old version or the new one, and nobody who has seen the new one sees the old one again.
///
/// Bounded in bytes: objects are in two generations, of which the older one is dropped when the newer one is full. Safe to use from
/// any thread.
final class ObjectCache: Sendable {
    /// An object with the lines of the answer to a plain read of it.
    final class Entry: Sendable {
        let object: ObjectRecord
        /// The lines of `ObjectRecord.answerFields`.
        let lines: [UInt8]
        /// Approximate bytes of memory.
        fileprivate let byteCount: Int

        init(_ object: ObjectRecord) {
            self.object = object
            lines = Self.lines(object.answerFields)
            byteCount = Self.byteCount(of: object, lineBytes: lines.count)
        }

        /// Stored values have no control characters. One in a row that something else has changed becomes a space, so that it
        /// cannot end the line.
        private static func lines(_ fields: [(name: String, value: String)]) -> [UInt8] {
            var lines: [UInt8] = []
            for (name, value) in fields {
                lines += name.utf8
                lines += ": ".utf8
                lines += value.utf8.lazy.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 }
                lines += "\r\n".utf8
            }
            return lines
        }

        private static func byteCount(of object: ObjectRecord, lineBytes: Int) -> Int {
            let texts = [object.bucket, object.objectKey, object.blob, object.etag]
            let pairs = object.headers.system + object.headers.metadata + object.tags
            return fixedBytes + lineBytes + 24 * (object.parts?.count ?? 0)
                + texts.reduce(object.headers.contentType?.utf8.count ?? 0) { $0 + $1.utf8.count + textBytes }
                + pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 * textBytes }
        }

        /// Bytes of an entry without its texts and lists, and of its place in a dictionary, of which half may be empty.
        private static let fixedBytes = 64 + MemoryLayout<ObjectRecord>.stride + 2 * MemoryLayout<(Name, Entry)>.stride
        /// Bytes of a text in memory beside its own.
        private static let textBytes = 32
    }

    /// The name of an object. Its texts are compared by their bytes.
    struct Name: Hashable, Sendable {
        let bucket: ExactText
        let key: ExactText

        init(_ bucket: String, _ key: String) { (self.bucket, self.key) = (ExactText(bucket), ExactText(key)) }
    }

    private struct State {
        var newer: [Name: Entry] = [:]
        var older: [Name: Entry] = [:]
        /// The bytes of `newer`.
        var byteCount = 0
        /// Objects that are being written, with the number of writes.
        var writes: [Name: Int] = [:]
        /// Writes that have ended.
        var endedCount: UInt64 = 0
    }

    /// Bytes of a generation.
    private let bytesMax: Int
    private let state = Mutex(State())

    /// - Parameter bytesMax: Bytes of both generations together.
    init(bytesMax: Int) { self.bytesMax = bytesMax / 2 }

    /// An object; one that is not here is read, and kept if there is one.
    func entry(_ name: Name, read: () throws(S3Error) -> ObjectRecord?) throws(S3Error) -> Entry? {
        let (kept, endedCount) = state.withLock { state -> (Entry?, UInt64) in
            if let entry = state.newer[name] { return (entry, 0) }
            guard let entry = state.older[name] else { return (nil, state.endedCount) }
            keep(entry, name, in: &state)
            return (entry, 0)
        }
        if let kept { return kept }
        guard let object = try read() else { return nil }
        let entry = Entry(object)
        state.withLock { state in
            guard state.endedCount == endedCount, state.writes[name] == nil else { return }
            keep(entry, name, in: &state)
        }
        return entry
    }

    private func keep(_ entry: Entry, _ name: Name, in state: inout State) {
        let byteCount = entry.byteCount
        guard byteCount <= bytesMax else { return }
        if state.byteCount + byteCount > bytesMax {
            (state.older, state.newer, state.byteCount) = (state.newer, [:], 0)
        }
        if let replaced = state.newer.updateValue(entry, forKey: name) { state.byteCount -= replaced.byteCount }
        state.byteCount += byteCount
    }

    /// Forgets objects that a transaction may change. Call `endWrite` when it is known whether it has.
    func beginWrite(_ names: [Name]) {
        guard !names.isEmpty else { return }
        state.withLock { state in
            for name in names {
                state.writes[name, default: 0] += 1
                state.older[name] = nil
                if let removed = state.newer.removeValue(forKey: name) { state.byteCount -= removed.byteCount }
            }
        }
    }

    /// Keeps these objects again as they are from now on.
    func endWrite(_ names: [Name]) {
        guard !names.isEmpty else { return }
        state.withLock { state in
            for name in names {
                let count = (state.writes[name] ?? 0) - 1
                state.writes[name] = count > 0 ? count : nil
            }
            state.endedCount += 1
        }
    }

    /// The number of objects that are kept.
    var count: Int { state.withLock { $0.newer.count + $0.older.count } }
}
