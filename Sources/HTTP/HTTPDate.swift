import Encodings

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
        let (day, second) = FloorDivision.divide(Int64(seconds), by: 86_400)
        let date = CivilDate(day: day)
        // 1970-01-01 was a Thursday.
        let weekday = weekdays[Int(FloorDivision.divide(day + 4, by: 7).remainder)]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekday), \(two(date.day)) \(months[Int(date.month) - 1]) \(date.year) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
