import Encodings
import JSON

/// Items as answers have shown them, by selection and either place in creation order, as lists meet them, or key, as
/// they are asked for one by one. A page of them costs a walk along its index, and neither a descent into the table for
/// each item nor a look at each of its cells; a single item costs no statement at all.
///
/// One per event loop, hence without a lock, and bounded in bytes. It holds what one state of the database says: with
/// the first page that is read after any commit, of any process, it is emptied. An item that rules have let through is kept for the
/// table of decisions by which they did, and shown by no other. So it answers for tables that are read
/// much more often than the database is written to, and costs the others a copy of what they wrote.
final class RowCache {
    /// Small, because finding one is a walk to memory.
    private struct Entry {
        /// The row's number, or the key's hash.
        var identifier: Int64 = 0
        /// Negative where the item is kept by its key.
        var selection = 0
        /// The number of the decisions by which it was shown; 0 where the rules had none to make.
        var decisions = 0
        /// The place is free unless this is the cache's present age.
        var age: UInt32 = 0
        /// Where the key is, if there is one, followed by what was written.
        var start: UInt32 = 0
        var keyCount: UInt32 = 0
        var count: UInt32 = 0
    }

    private let bytesMax: Int
    private let hasher = SeededHasher()
    private var version: UInt32?
    /// Raised to free all places at once.
    private var age: UInt32
    // Not checked for overlapping accesses at run time: they are touched in the methods below only, on one thread, and
    // none of those calls back. The checks cost as much as finding an entry.
    /// A hash table with linear probing; a power of two, at most three quarters full.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// What was written, one after the other.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// How many items are kept.
    private(set) var entryCount = 0

    /// - Parameter age: The first age; tests begin near the last one.
    init(bytesMax: Int, age: UInt32 = 1) {
        self.bytesMax = min(bytesMax, Int(UInt32.max))
        self.age = age
    }

    var isEmpty: Bool { entryCount == 0 }

    /// What the cache holds now; at most `bytesMax`, but for a table without entries.
    var bytesNow: Int { unsafe bytes.count + tableBytes }

    /// Removes everything if it is of another state of the database.
    /// - Parameter version: `Reader.dataVersion` of the snapshot that the next calls are about.
    func renew(_ version: UInt32) {
        if version != self.version { removeAll() }
        self.version = version
    }

    /// Appends an item to an answer; false, and nothing is written, when it is not here.
    func write(_ rowID: Int64, as selection: Int, into writer: inout JSONWriter) -> Bool {
        unsafe write(Self.noKey, rowID, selection, 0, into: &writer)
    }

    /// The same for an item by its key.
    /// - Parameter decisions: Only what was shown by the same table of decisions is written.
    func write(
        _ key: UnsafeRawBufferPointer, as selection: Int, by decisions: DecisionTable?, into writer: inout JSONWriter
    ) -> Bool {
        unsafe write(
            key, Int64(bitPattern: hasher.hash(key)), -selection, decisions?.number ?? 0, into: &writer)
    }

    /// Keeps what an answer says of an item, from `mark` to its end. When there is no more room, everything is removed first.
    func insert(_ rowID: Int64, as selection: Int, writtenSince mark: Int, in writer: borrowing JSONWriter) {
        unsafe insert(Self.noKey, rowID, selection, 0, writtenSince: mark, in: writer)
    }

    /// The same for an item by its key.
    /// - Parameter decisions: The table of decisions by which it was shown.
    func insert(
        _ key: UnsafeRawBufferPointer, as selection: Int, by decisions: DecisionTable?, writtenSince mark: Int,
        in writer: borrowing JSONWriter
    ) {
        unsafe insert(
            key, Int64(bitPattern: hasher.hash(key)), -selection, decisions?.number ?? 0, writtenSince: mark, in: writer
        )
    }

    private func write(
        _ key: UnsafeRawBufferPointer, _ identifier: Int64, _ selection: Int, _ decisions: Int,
        into writer: inout JSONWriter
    ) -> Bool {
        guard unsafe !entries.isEmpty else { return false }
        let entry = unsafe entries[place(of: identifier, as: selection, by: decisions)]
        let (keyStart, start) = (Int(entry.start), Int(entry.start + entry.keyCount))
        // Where the bytes of an older entry were, there may be none any more.
        guard entry.age == age else { return false }
        let isSameKey = unsafe bytes.withUnsafeBytes { bytes in
            unsafe key.hasEqualBytes(UnsafeRawBufferPointer(rebasing: bytes[keyStart..<start]))
        }
        guard isSameKey else { return false }
        unsafe writer.append(bytes, in: start..<start + Int(entry.count))
        return true
    }

    private func insert(
        _ key: UnsafeRawBufferPointer, _ identifier: Int64, _ selection: Int, _ decisions: Int,
        writtenSince mark: Int, in writer: borrowing JSONWriter
    ) {
        let count = key.count + writer.count - mark
        if unsafe (entryCount + 1) * 4 > entries.count * 3 {
            if 4 * tableBytes > bytesMax { removeAll() } else { grow() }
        }
        if unsafe bytes.count + count + tableBytes > bytesMax { removeAll() }
        guard count + tableBytes <= bytesMax else { return }
        let place = place(of: identifier, as: selection, by: decisions)
        guard unsafe entries[place].age != age else { return }
        unsafe entries[place] = unsafe Entry(
            identifier: identifier, selection: selection, decisions: decisions, age: age, start: UInt32(bytes.count),
            keyCount: UInt32(key.count), count: UInt32(writer.count - mark))
        entryCount += 1
        unsafe bytes.append(contentsOf: key)
        unsafe writer.withBytes { unsafe bytes.append(contentsOf: $0[mark...]) }
    }

    private static var noKey: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }

    private var tableBytes: Int { unsafe entries.count * MemoryLayout<Entry>.stride }

    private func removeAll() {
        entryCount = 0
        if age == .max {
            // Once in four thousand million times the ages begin anew.
            unsafe entries = unsafe Array(repeating: Entry(), count: entries.count)
            age = 0
        }
        age += 1
        unsafe bytes.removeAll(keepingCapacity: true)
    }

    private func grow() {
        let old = unsafe entries
        unsafe entries = Array(repeating: Entry(), count: max(64, old.count * 2))
        for entry in old where entry.age == age {
            unsafe entries[place(of: entry.identifier, as: entry.selection, by: entry.decisions)] = entry
        }
    }

    /// Where an item is, or the free place where it belongs. Rows are numbered by the database and keys are hashed with a
    /// seed, so neither can be chosen to collide; two keys with one hash share a place, and the first has it.
    private func place(of identifier: Int64, as selection: Int, by decisions: Int) -> Int {
        let mask = unsafe entries.count - 1
        let key =
            UInt64(bitPattern: identifier) &+ UInt64(truncatingIfNeeded: selection) << 40
            &+ UInt64(truncatingIfNeeded: decisions) << 24
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while true {
            let entry = unsafe entries[place]
            if entry.age != age { return place }
            if entry.identifier == identifier, entry.selection == selection, entry.decisions == decisions {
                return place
            }
            place = (place + 1) & mask
        }
    }
}
