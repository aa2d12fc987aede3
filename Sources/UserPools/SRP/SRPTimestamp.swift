import Encodings

/// The timestamp that a client signs, such as `Sat Nov 1 09:05:03 UTC 2025` (reference: auth, "Parameters").
enum SRPTimestamp {
    /// Seconds between the client's clock and the server's that are accepted.
    static let skewSecondsMax: Int64 = 300

    /// Whether a text is the canonical form of a time within `skewSecondsMax` of now.
    ///
    /// - Parameter now: Seconds since 1970.
    static func isValid(_ text: String, now: Int64) -> Bool {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, let month = months.firstIndex(of: String(parts[1])), let day = Int(parts[2]),
            let year = Int(parts[5]), (1970...9999).contains(year), (1...31).contains(day)
        else { return false }
        let time = parts[3].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int64($0) }
        guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0..<60).contains(time[2])
        else { return false }
        let days = CivilDate.day(year: Int64(year), month: Int64(month + 1), day: Int64(day))
        let seconds = days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
        return text == self.text(seconds) && abs(seconds - now) <= skewSecondsMax
    }

    /// The canonical form of a time in seconds since 1970.
    static func text(_ seconds: Int64) -> String {
        let days = seconds / 86_400
        let date = CivilDate(day: days)
        let time = [seconds % 86_400 / 3_600, seconds % 3_600 / 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        // The first of January 1970 was a Thursday.
        return "\(weekdays[Int((days + 3) % 7)]) \(months[Int(date.month) - 1]) \(date.day) \(time) UTC \(date.year)"
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
