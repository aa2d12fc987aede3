#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The Date field. Made once a second by each loop, because it is on every answer.
enum HTTPDate {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF, of now.
    static func line() -> [UInt8] { Array("Date: \(text(secondsSince1970: time(nil)))\r\n".utf8) }

    /// RFC 9110 §5.6.7: IMF-fixdate.
    static func text(secondsSince1970 seconds: Int) -> String {
        let day = (seconds < 0 ? seconds - 86_399 : seconds) / 86_400
        let second = seconds - day * 86_400
        let date = civil(day)
        let weekday = weekdays[((day + 4) % 7 + 7) % 7]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The Gregorian date of a day counted from 1970-01-01. The year is taken to begin in March, so that the leap day
    /// is its last; 146,097 days are 400 years, and five months from March on are always 153 days.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468  // Days from 0000-03-01 to 1970-01-01.
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
