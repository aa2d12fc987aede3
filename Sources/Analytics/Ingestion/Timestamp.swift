import Encodings

/// Parses the timestamps of clients: ISO 8601, `2026-01-02T03:04:05.678Z`.
enum Timestamp {
    /// Milliseconds since 1970; nil if the text is invalid, or before 1970 or after the year 9999. Without an offset the time
    /// is UTC; without a time it is the start of the day. A leap second counts as the second before it.
    static func milliseconds(_ text: [UInt8]) -> Int64? {
        guard text.count <= 40 else { return nil }
        var reader = Reader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), year >= 1970, (1...12).contains(month), day >= 1,
            day <= CivilDate.dayCount(ofMonth: Int(month), year: Int(year))
        else { return nil }
        let midnight = CivilDate.day(year: year, month: month, day: day) * 86_400_000
        if reader.isAtEnd { return midnight }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), hour <= 23, minute <= 59
        else { return nil }
        var (second, fraction): (Int64, Int64) = (0, 0)
        if reader.skip(":") {
            guard let number = reader.number(2), number <= 60 else { return nil }
            second = min(number, 59)
            if reader.skip(".") || reader.skip(",") {
                guard let number = reader.fraction() else { return nil }
                fraction = number
            }
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let milliseconds = midnight + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction
        return (0..<253_402_300_800_000).contains(milliseconds) ? milliseconds : nil
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: [UInt8]) { bytes = text }

        var isAtEnd: Bool { position == bytes.count }

        private var digit: Int64? {
            guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
                return nil
            }
            return Int64(bytes[position] - UInt8(ascii: "0"))
        }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
            position += 1
            return true
        }

        /// A number with an exact number of digits.
        mutating func number(_ count: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<count {
                guard let digit else { return nil }
                number = number * 10 + digit
                position += 1
            }
            return number
        }

        /// Fractional digits, as whole milliseconds.
        mutating func fraction() -> Int64? {
            var (milliseconds, unit): (Int64, Int64) = (0, 100)
            guard digit != nil else { return nil }
            while let digit {
                milliseconds += digit * unit
                unit /= 10
                position += 1
            }
            return milliseconds
        }

        /// Minutes east of UTC: `Z`, `+02:00`, `+0200`, or nothing.
        mutating func offset() -> Int64? {
            if isAtEnd || skip("Z") || skip("z") { return 0 }
            let isWest = skip("-")
            guard isWest || skip("+"), let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = number(2), hours <= 23, minutes <= 59 else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}
