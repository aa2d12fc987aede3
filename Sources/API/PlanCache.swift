import Encodings
import JSON
import Synchronization

/// Plans by the text they came from, the operation's name and the class of their callers. Bounded by their count, by the bytes of their texts, and by
/// the bytes of the plans themselves, which all caches of a server share (`PlanBudget`); the least recently used goes.
///
/// One per event loop. Only that loop looks plans up, so its lock is free; other loops evict plans when they need the
/// bytes. A plan depends on these alone, never on variables or more of the caller. Texts are found by a seeded 64-bit hash and
/// then compared byte for byte, so a collision costs a plan, not an answer.
final class PlanCache: Sendable {
    private let plans: Mutex<RecentPlans>

    init(countMax: Int, bytesMax: Int) { plans = Mutex(RecentPlans(countMax: countMax, bytesMax: bytesMax)) }

    func plan(for text: [UInt8], operationName: String?, _ caller: CallerClass = .only) -> Plan? {
        plans.withLock { $0.plan(for: text, operationName: operationName, caller) }
    }

    func insert(_ plan: Plan, for text: [UInt8], operationName: String?, _ caller: CallerClass = .only) {
        let evicted = plans.withLock { $0.insert(plan, for: text, operationName: operationName, caller) }
        // Freed here, where no other loop waits for the lock.
        _ = consume evicted
    }

    var count: Int { plans.withLock { $0.count } }

    /// Evicts the plan that was used longest ago of those that no subscription keeps: to evict one that is kept would free
    /// nothing. False when there is none.
    func evictOne() -> Bool {
        let evicted = plans.withLock { $0.evictOne() }
        return evicted != nil
    }
}

/// The entries of a plan cache, linked in the order of their use.
private struct RecentPlans {
    private struct Entry {
        var hash: UInt64
        var text: [UInt8]
        var operationName: String?
        var caller: CallerClass
        var plan: Plan
        /// The places of those used just after and just before it.
        var newer: Int?
        var older: Int?
    }

    private let countMax: Int
    private let bytesMax: Int
    private let hasher = SeededHasher()
    /// In no order, without gaps; linked by use, so that finding what to evict costs no walk: with 1,000 plans kept it
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

    mutating func plan(for text: [UInt8], operationName: String?, _ caller: CallerClass) -> Plan? {
        guard let place = places[hash(text, operationName, caller)], Self.areEqual(entries[place].text, text),
            Self.areEqual(entries[place].operationName, operationName), entries[place].caller == caller
        else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return entries[place].plan
    }

    private static func areEqual(_ text: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe text.withUnsafeBytes { text in unsafe other.withUnsafeBytes { unsafe text.hasEqualBytes($0) } }
    }

    /// By their bytes: Swift's `==` takes two spellings of a character in Unicode for the same.
    private static func areEqual(_ name: String?, _ other: String?) -> Bool {
        guard let name, let other else { return name == nil && other == nil }
        return name.isExactly(other)
    }

    /// - Returns: The plans that went for it.
    mutating func insert(
        _ plan: Plan, for text: [UInt8], operationName: String?, _ caller: CallerClass
    ) -> [Plan] {
        guard countMax > 0, text.count <= bytesMax else { return [] }
        var evicted: [Plan] = []
        let hash = hash(text, operationName, caller)
        if let replaced = places[hash] { evicted.append(remove(replaced)) }
        while let oldest, entries.count >= countMax || bytes + text.count > bytesMax { evicted.append(remove(oldest)) }
        bytes += text.count
        places[hash] = entries.count
        entries.append(Entry(hash: hash, text: text, operationName: operationName, caller: caller, plan: plan))
        linkAsNewest(entries.count - 1)
        return evicted
    }

    var count: Int { entries.count }

    mutating func evictOne() -> Plan? {
        for _ in entries.indices {
            guard let place = oldest else { return nil }
            guard entries[place].plan.isFollowed else { return remove(place) }
            // The next search begins after it.
            unlink(place)
            linkAsNewest(place)
        }
        return nil
    }

    /// Takes an entry out; the last one moves to its place.
    private mutating func remove(_ place: Int) -> Plan {
        let plan = entries[place].plan
        unlink(place)
        bytes -= entries[place].text.count
        places[entries[place].hash] = nil
        let moved = entries.count - 1
        entries.swapAt(place, moved)
        entries.removeLast()
        guard place < moved else { return plan }
        places[entries[place].hash] = place
        setNewer(of: entries[place].older, to: place)
        setOlder(of: entries[place].newer, to: place)
        return plan
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

    private func hash(_ text: [UInt8], _ operationName: String?, _ caller: CallerClass) -> UInt64 {
        let hash = unsafe text.withUnsafeBytes(hasher.hash) ^ caller.mark
        guard var operationName else { return hash }
        return hash ^ operationName.withUTF8 { unsafe hasher.hash(UnsafeRawBufferPointer($0)) }
    }
}
