#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A moment in time, to the millisecond.
struct Moment: Sendable, Hashable {
    /// Since 1970-01-01T00:00:00Z, without leap seconds (POSIX, "Seconds Since the Epoch").
    var milliseconds: Int64

    /// The present one, by the system's clock.
    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Moment(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// As in RFC 3339 with milliseconds, such as `2026-01-02T03:04:05.678Z`.
    var text: String {
        let (day, inDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let date = Self.date(ofDay: day)
        let second = inDay / 1000
        return "\(Self.digits(date.year, 4))-\(Self.digits(date.month, 2))-\(Self.digits(date.day, 2))T"
            + "\(Self.digits(second / 3600, 2)):\(Self.digits(second / 60 % 60, 2)):\(Self.digits(second % 60, 2))"
            + ".\(Self.digits(inDay % 1000, 3))Z"
    }

    /// The Gregorian date of a day since 1970-01-01, for days from then on. Years are counted from March, so that the
    /// leap day is a year's last; 146,097 days are 400 years, and 153 days are any five months from March on.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let sinceYearZero = day + 719_468  // 0000-03-01 is so many days before 1970-01-01.
        let (era, inEra) = sinceYearZero.quotientAndRemainder(dividingBy: 146_097)
        let yearInEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * yearInEra + yearInEra / 4 - yearInEra / 100)
        let month = (5 * inYear + 2) / 153
        let isNextYear = month >= 10
        return (
            era * 400 + yearInEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            inYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
