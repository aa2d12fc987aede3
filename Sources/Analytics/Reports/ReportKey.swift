import JSON

/// The grouping key of a row of a report.
struct ReportKey: Hashable {
    /// The day; 0 if all days are counted together.
    let day: Int64
    /// The value; nil for events without one.
    let value: ExactText?

    init(day: Int64, value: String?) { (self.day, self.value) = (day, value.map(ExactText.init(_:))) }

    typealias Entry = (key: ReportKey, value: ReportCount)

    /// By day, then by number of events, descending.
    static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.key.day != right.key.day { return left.key.day < right.key.day }
        if left.value.events != right.value.events { return left.value.events > right.value.events }
        return left.key.valuePrecedes(right.key)
    }

    /// By day, then by number of users, descending.
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
