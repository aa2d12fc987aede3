import JSON

/// What rows of a report are counted by.
struct ReportKey: Hashable {
    /// 0 where all days are counted together.
    let day: Int64
    /// Nil of what has no value.
    let value: ExactText?

    init(day: Int64, value: String?) { (self.day, self.value) = (day, value.map(ExactText.init)) }

    typealias Entry = (key: ReportKey, value: ReportCount)

    /// By day, and then by number of events, the most first.
    static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.key.day != right.key.day { return left.key.day < right.key.day }
        if left.value.events != right.value.events { return left.value.events > right.value.events }
        return left.key.valuePrecedes(right.key)
    }

    /// By day, and then by number of users, the most first.
    static func precedesByUsers(_ left: Entry, _ right: Entry) -> Bool {
        if left.key.day != right.key.day { return left.key.day < right.key.day }
        if left.value.users.count != right.value.users.count { return left.value.users.count > right.value.users.count }
        return left.key.valuePrecedes(right.key)
    }

    private func valuePrecedes(_ other: ReportKey) -> Bool {
        guard let mine = value, let theirs = other.value else { return value != nil }
        return mine.text.utf8.lexicographicallyPrecedes(theirs.text.utf8)
    }
}
