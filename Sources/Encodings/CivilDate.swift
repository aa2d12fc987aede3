/// A day of the Gregorian calendar.
public struct CivilDate: Sendable, Hashable {
    /// Negative before the year 0.
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// The date of a day counted from 1970-01-01, before or after it.
    ///
    /// Years are counted from March, so that the leap day is a year's last: month lengths then repeat every five months
    /// (153 days) and years every 400 (146,097 days).
    public init(day: Int64) {
        let (era, dayOfEra) = FloorDivision.divide(day + 719_468, by: 146_097)  // 0000-03-01 is day -719,468.
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    }

    /// The day, counted from 1970-01-01, of a date of the calendar.
    ///
    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - day: 1 to 31.
    public static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Again years are counted from March.
        let (era, yearOfEra) = FloorDivision.divide(month <= 2 ? year - 1 : year, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The number of days of a month, 1 to 12.
    public static func dayCount(ofMonth month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}
