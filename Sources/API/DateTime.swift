/// Moments as AppSync's resolvers write them: ISO 8601 in UTC with milliseconds, `2023-04-05T06:07:08.910Z`.
enum DateTime {
    static func text(milliseconds: Int64) -> String {
        let (days, ofDay) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days: days)
        let second = ofDay / 1000
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(second / 3600, 2) + ":"
            + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2) + "." + pad(ofDay % 1000, 3) + "Z"
    }

    /// Days since 1970-01-01 as a date of the Gregorian calendar. Counting from a 1 March makes the leap day the
    /// year's last, so that month lengths repeat every five months (153 days) and years every 400 (146,097 days).
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
