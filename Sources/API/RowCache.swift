import JSON

/// Items as lists have written them, by selection and place in creation order: a page of them costs a walk along its
/// index, and neither a descent into the table for each item nor a look at each of its cells.
///
/// One per event loop, hence without a lock, and bounded in bytes. It holds what one state of the database says: with
/// the first page that is read after any commit, whoever made it, it is emptied. So it answers for tables that are read
/// much more often than the database is written to, and costs the others a copy of what they wrote.
final class RowCache {
    private struct Entry {
        /// The place is free unless this is the cache's present age.
        var age = 0
        var selection = 0
        var rowID: Int64 = 0
        var start = 0
        var count = 0
    }

    private let bytesMax: Int
    private var version: UInt32?
    /// Raised to free all places at once.
    private var age = 1
    // Not checked for overlapping accesses at run time: they are touched in the methods below only, on one thread, and
    // none of those calls back. The checks cost as much as finding an entry.
    /// A hash table with linear probing; a power of two, at most three quarters full.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// What was written, one behind the other.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// How many items are kept.
    private(set) var entryCount = 0

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var isEmpty: Bool { entryCount == 0 }

    /// What the cache holds now; at most `bytesMax`, but for a table without entries.
    var bytesNow: Int { bytes.count + tableBytes }

    /// Lets go of all that another state of the database said.
    /// - Parameter version: `Reader.dataVersion` of the snapshot that the next calls are about.
    func renew(_ version: UInt32) {
        if version != self.version { removeAll() }
        self.version = version
    }

    /// Appends an item to an answer; false, and nothing is written, when it is not here.
    func write(_ rowID: Int64, as selection: Int, into writer: inout JSONWriter) -> Bool {
        guard !entries.isEmpty else { return false }
        let entry = entries[place(of: rowID, as: selection)]
        guard entry.age == age else { return false }
        writer.append(bytes, in: entry.start..<entry.start + entry.count)
        return true
    }

    /// Keeps what an answer says of an item, from `mark` to its end. When there is no more room, all goes.
    func insert(_ rowID: Int64, as selection: Int, writtenSince mark: Int, in writer: borrowing JSONWriter) {
        let count = writer.count - mark
        if (entryCount + 1) * 4 > entries.count * 3 {
            if 4 * tableBytes > bytesMax { removeAll() } else { grow() }
        }
        if bytes.count + count + tableBytes > bytesMax { removeAll() }
        guard count + tableBytes <= bytesMax else { return }
        let place = place(of: rowID, as: selection)
        guard entries[place].age != age else { return }
        entries[place] = Entry(age: age, selection: selection, rowID: rowID, start: bytes.count, count: count)
        entryCount += 1
        writer.withBytes { bytes.append(contentsOf: $0[mark...]) }
    }

    private var tableBytes: Int { entries.count * MemoryLayout<Entry>.stride }

    private func removeAll() {
        entryCount = 0
        age += 1
        bytes.removeAll(keepingCapacity: true)
    }

    private func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: max(64, old.count * 2))
        for entry in old where entry.age == age { entries[place(of: entry.rowID, as: entry.selection)] = entry }
    }

    /// Where an item is, or the free place where it belongs. Rows are numbered by the database, so nobody can choose
    /// them to collide.
    private func place(of rowID: Int64, as selection: Int) -> Int {
        let mask = entries.count - 1
        let key = UInt64(bitPattern: rowID) &+ UInt64(truncatingIfNeeded: selection) << 40
        var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while entries[place].age == age, entries[place].rowID != rowID || entries[place].selection != selection {
            place = (place + 1) & mask
        }
        return place
    }
}
