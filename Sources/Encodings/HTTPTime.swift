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
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text += weekday.utf8
        text += ", ".utf8
        append(date.day, digits: 2, to: &text)
        text.append(space)
        text += months[Int(date.month) - 1].utf8
        text.append(space)
        append(date.year, digits: 4, to: &text)
        text.append(space)
        append(second / 3600, digits: 2, to: &text)
        text.append(colon)
        append(second / 60 % 60, digits: 2, to: &text)
        text.append(colon)
        append(second % 60, digits: 2, to: &text)
        text += " GMT".utf8
        return String(decoding: text, as: UTF8.self)
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

    private static let space = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")

    /// Appends a number of so many digits, with zeros at its beginning.
    private static func append(_ number: Int64, digits: Int, to text: inout [UInt8]) {
        let number = max(0, number)
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(0x30 + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in digits {
            guard 0x30...0x39 ~= byte else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}
