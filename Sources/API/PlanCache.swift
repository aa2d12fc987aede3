/// Plans by the text they came from and the operation's name. Bounded; the least recently used goes.
///
/// One per event loop, hence without a lock. A plan depends on these two alone, never on variables or caller. Texts
/// are found by a seeded 64-bit hash and then compared byte for byte, so a collision costs a plan, not an answer.
struct PlanCache {
    private struct Entry {
        var hash: UInt64
        var text: [UInt8]
        var operationName: String?
        var plan: Plan
        /// The places of those used just after and just before it.
        var newer: Int?
        var older: Int?
    }

    private let countMax: Int
    private let bytesMax: Int
    private let hasher = SeededHasher()
    /// In no order, without gaps; linked by use, so that finding whom to evict costs no walk: with 1,000 plans kept it
    /// was a seventh of what a new document costs over a cached one.
    private var entries: [Entry] = []
    private var places: [UInt64: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var bytes = 0

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    mutating func plan(for text: [UInt8], operationName: String?) -> Plan? {
        guard let place = places[hash(text, operationName)], entries[place].text == text,
            entries[place].operationName == operationName
        else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return entries[place].plan
    }

    mutating func insert(_ plan: Plan, for text: [UInt8], operationName: String?) {
        guard countMax > 0, text.count <= bytesMax else { return }
        let hash = hash(text, operationName)
        if let replaced = places[hash] { remove(replaced) }
        while let oldest, entries.count >= countMax || bytes + text.count > bytesMax { remove(oldest) }
        bytes += text.count
        places[hash] = entries.count
        entries.append(Entry(hash: hash, text: text, operationName: operationName, plan: plan))
        linkAsNewest(entries.count - 1)
    }

    var count: Int { entries.count }

    /// Takes an entry out; the last one moves to its place.
    private mutating func remove(_ place: Int) {
        unlink(place)
        bytes -= entries[place].text.count
        places[entries[place].hash] = nil
        let moved = entries.count - 1
        entries.swapAt(place, moved)
        entries.removeLast()
        guard place < moved else { return }
        places[entries[place].hash] = place
        setNewer(of: entries[place].older, to: place)
        setOlder(of: entries[place].newer, to: place)
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        setNewer(of: older, to: newer)
        setOlder(of: newer, to: older)
    }

    private mutating func linkAsNewest(_ place: Int) {
        entries[place].newer = nil
        entries[place].older = newest
        setNewer(of: newest, to: place)
        newest = place
    }

    /// Sets what was used just after an entry; of no entry, that is the oldest.
    private mutating func setNewer(of place: Int?, to newer: Int?) {
        if let place { entries[place].newer = newer } else { oldest = newer }
    }

    /// Sets what was used just before an entry; of no entry, that is the newest.
    private mutating func setOlder(of place: Int?, to older: Int?) {
        if let place { entries[place].older = older } else { newest = older }
    }

    private func hash(_ text: [UInt8], _ operationName: String?) -> UInt64 {
        let hash = text.withUnsafeBytes(hasher.hash)
        guard var operationName else { return hash }
        return hash ^ operationName.withUTF8 { hasher.hash(UnsafeRawBufferPointer($0)) }
    }
}
