import Encodings

/// A moment as mail writes it (RFC 5322 §3.3).
enum MailDate {
    static func text(_ seconds: Int64) -> String {
        let date = CivilDate(day: seconds / 86_400)
        let time = [seconds % 86_400 / 3_600, seconds % 3_600 / 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[Int(seconds / 86_400 % 7)]
        return "\(weekday), \(date.day) \(months[Int(date.month) - 1]) \(date.year) \(time) +0000"
    }
}
