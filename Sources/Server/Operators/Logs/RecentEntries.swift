/// The newest entries of what is added, bounded in number and in bytes, each with the number of its place in the order of all.
struct RecentEntries<Entry: Sendable>: Sendable {
    /// A part of them, the newest first.
    struct Page: Sendable {
        var entries: [Entry] = []
        /// The number to go on after; nil at the end.
        var next: Int64?
    }

    private let countMax: Int
    private let bytesMax: Int
    /// The oldest first. The first `start` are gone, so that the array moves seldom.
    private var slots: [(entry: Entry?, byteCount: Int)] = []
    private var start = 0
    /// The number of the first slot.
    private var firstNumber: Int64 = 1
    private(set) var byteCount = 0

    init(countMax: Int, bytesMax: Int) { (self.countMax, self.bytesMax) = (countMax, bytesMax) }

    var count: Int { slots.count - start }

    /// Adds an entry, in place of the oldest ones if need be. One that is larger than all may be is left out.
    mutating func add(_ entry: Entry, byteCount entryByteCount: Int) {
        guard entryByteCount <= bytesMax else { return }
        while count > 0, count >= countMax || byteCount + entryByteCount > bytesMax {
            byteCount -= slots[start].byteCount
            slots[start].entry = nil
            start += 1
        }
        if start > countMax {
            slots.removeFirst(start)
            firstNumber += Int64(start)
            start = 0
        }
        slots.append((entry, entryByteCount))
        byteCount += entryByteCount
    }

    /// The newest entries that are wanted.
    ///
    /// - Parameter after: Only those that came before the one of this number.
    func page(after number: Int64?, countMax: Int, where isWanted: (Entry) -> Bool) -> Page {
        var page = Page()
        var place = min(slots.count, number.map { Int(clamping: $0 - firstNumber) } ?? slots.count)
        while place > start {
            place -= 1
            guard let entry = slots[place].entry, isWanted(entry) else { continue }
            page.entries.append(entry)
            guard page.entries.count < countMax else {
                page.next = place > start ? firstNumber + Int64(place) : nil
                return page
            }
        }
        return page
    }
}
