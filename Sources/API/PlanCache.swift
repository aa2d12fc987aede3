/// Plans by the text they came from and the operation's name. Bounded; the least recently used goes.
///
/// One per event loop, hence without a lock. A plan depends on these two alone, never on variables or caller. Texts
/// are found by a seeded 64-bit hash and then compared byte for byte, so a collision costs a plan, not an answer.
struct PlanCache {
    private struct Entry {
        var text: [UInt8]
        var operationName: String?
        var plan: Plan
        var lastUse: UInt64
    }

    private let countMax: Int
    private let bytesMax: Int
    private let seed = UInt64.random(in: .min ... .max)
    private var entries: [UInt64: Entry] = [:]
    private var bytes = 0
    private var uses: UInt64 = 0

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    mutating func plan(for text: [UInt8], operationName: String?) -> Plan? {
        let key = hash(text, operationName)
        guard let index = entries.index(forKey: key) else { return nil }
        guard entries.values[index].text == text, entries.values[index].operationName == operationName else {
            return nil
        }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].plan
    }

    mutating func insert(_ plan: Plan, for text: [UInt8], operationName: String?) {
        guard countMax > 0, text.count <= bytesMax else { return }
        let key = hash(text, operationName)
        if let replaced = entries.removeValue(forKey: key) { bytes -= replaced.text.count }
        while !entries.isEmpty && (entries.count >= countMax || bytes + text.count > bytesMax) { evict() }
        uses += 1
        bytes += text.count
        entries[key] = Entry(text: text, operationName: operationName, plan: plan, lastUse: uses)
    }

    var count: Int { entries.count }

    /// A walk over all entries, at most `countMax`: cheap beside the planning that led here.
    private mutating func evict() {
        guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        bytes -= oldest.value.text.count
        entries[oldest.key] = nil
    }

    /// Eight bytes a step, multiplied and folded; the seed keeps callers from choosing collisions.
    private func hash(_ text: [UInt8], _ operationName: String?) -> UInt64 {
        var state = seed ^ UInt64(truncatingIfNeeded: text.count)
        func mix(_ word: UInt64) {
            let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            state = product.high ^ product.low
        }
        text.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            var rest: UInt64 = 0
            for byte in bytes[offset...] { rest = rest << 8 | UInt64(byte) }
            mix(rest)
        }
        for byte in (operationName ?? "").utf8 { mix(UInt64(byte)) }
        return state
    }
}
