import Encodings

/// A day of an app as one number, by which its rows are found.
struct AppDay: Hashable {
    let app: Int64
    /// The day in UTC, counted from 1970-01-01.
    let day: Int64

    init(_ app: Int64, _ day: Int64) { (self.app, self.day) = (app, day) }

    init(_ number: Int64) { self.init(number >> Self.dayBits, number & (1 << Self.dayBits - 1)) }

    /// As many as the days up to the year 9999 need.
    private static let dayBits: Int64 = 22

    var number: Int64 { app << Self.dayBits | day }

    /// Stands for no day, and is later than all.
    static let none: Int64 = 1 << dayBits - 1

    /// The day of a moment, which is in milliseconds since 1970.
    static func day(of milliseconds: Int64) -> Int64 {
        FloorDivision.divide(milliseconds, by: millisecondsPerDay).quotient
    }

    static let millisecondsPerDay: Int64 = 86_400_000
}
