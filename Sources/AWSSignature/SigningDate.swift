import Encodings

/// The date of a signature: a second in UTC, of the years 0 to 9999.
public struct SigningDate: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public let secondsSince1970: Int64
    /// ISO 8601 basic, `20260102T030405Z`, as the string to sign has it.
    public let text: String

    /// The day, `20260102`, as a credential scope has it.
    public var day: String { String(text.prefix(8)) }

    /// The date of a moment, which must lie in the years 0 to 9999.
    public init(secondsSince1970 seconds: Int64) {
        precondition(Self.range.contains(seconds), "a signature's date has a year of four digits")
        secondsSince1970 = seconds
        let second = (seconds % 86_400 + 86_400) % 86_400
        let date = CivilDate(day: (seconds - second) / 86_400)
        let time = Self.digits(second / 3_600, 2) + Self.digits(second / 60 % 60, 2) + Self.digits(second % 60, 2)
        text = Self.digits(date.year, 4) + Self.digits(date.month, 2) + Self.digits(date.day, 2) + "T" + time + "Z"
    }

    /// Reads ISO 8601 basic, `20260102T030405Z`; nil when it is not a date of that form.
    public init?(basic text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[4..<6]),
            let day = Self.number(bytes[6..<8]), let hour = Self.number(bytes[9..<11]),
            let minute = Self.number(bytes[11..<13]), let second = Self.number(bytes[13..<15])
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Reads RFC 9110 §5.6.7, IMF-fixdate: `Fri, 02 Jan 2026 03:04:05 GMT`. The zone may also be written `UTC`, `+0000`
    /// or `-0000`, as RFC 5322 §3.3 and SDKs have it.
    init?(httpDate text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 29, bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"),
            bytes[22] == UInt8(ascii: ":"), [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == 0x20 }),
            Self.weekdays.contains(where: { $0.utf8.elementsEqual(bytes[0..<3]) }),
            let month = Self.months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
            Self.zones.contains(where: { $0.utf8.elementsEqual(bytes[26...]) }),
            let day = Self.number(bytes[5..<7]), let year = Self.number(bytes[12..<16]),
            let hour = Self.number(bytes[17..<19]), let minute = Self.number(bytes[20..<22]),
            let second = Self.number(bytes[23..<25])
        else { return nil }
        self.init(year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
    }

    private init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        guard 1...12 ~= month, 1...Int64(CivilDate.dayCount(ofMonth: Int(month), year: Int(year))) ~= day, hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = CivilDate.day(year: year, month: month, day: day)
        self.init(secondsSince1970: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }
}

// MARK: - The calendar

extension SigningDate {
    /// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let zones = ["GMT", "UTC", "+0000", "-0000"]

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in digits {
            guard let digit = byte.decimalDigit else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
