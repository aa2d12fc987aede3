/// Moments as header fields have them (RFC 9110 §5.6.7): IMF-fixdate, in whole seconds.
public enum HTTPTime {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter seconds: Seconds since 1970, of a year of four digits.
    public static func text(seconds: Int64) -> String {
        let (day, second) = FloorDivision.divide(seconds, by: 86_400)
        let date = CivilDate(day: day)
        // 1970-01-01 was a Thursday.
        let weekday = weekdays[Int(FloorDivision.divide(day + 4, by: 7).remainder)]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        let year = String(date.year)
        let zeros = String(repeating: "0", count: max(0, 4 - year.utf8.count))
        return "\(weekday), \(two(date.day)) \(months[Int(date.month) - 1]) \(zeros)\(year) \(time) GMT"
    }

    /// The seconds since 1970 of an IMF-fixdate; nil of anything else. The day of the week is not compared with the date.
    public static func seconds(of text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, weekdays.contains(where: { $0.utf8.elementsEqual(bytes[0..<3]) }),
            bytes[3...4].elementsEqual(", ".utf8), bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20,
            bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"), bytes[25...].elementsEqual(" GMT".utf8),
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
            let day = number(bytes[5..<7]), let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
            let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]),
            1...Int64(CivilDate.dayCount(ofMonth: month + 1, year: Int(year))) ~= day, hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let days = CivilDate.day(year: year, month: Int64(month) + 1, day: day)
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in digits {
            guard 0x30...0x39 ~= byte else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}
