/// Moments as AppSync's resolvers write them: ISO 8601 in UTC with milliseconds, `2023-04-05T06:07:08.910Z`.
enum DateTime {
    static func text(milliseconds: Int64) -> String {
        let (days, ofDay) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days: days)
        let second = ofDay / 1000
        return String(unsafeUninitializedCapacity: 32) { buffer in
            var text = Text(buffer: buffer)
            text.append(year, width: 4, before: "-")
            text.append(month, width: 2, before: "-")
            text.append(day, width: 2, before: "T")
            text.append(second / 3600, width: 2, before: ":")
            text.append(second / 60 % 60, width: 2, before: ":")
            text.append(second % 60, width: 2, before: ".")
            text.append(ofDay % 1000, width: 3, before: "Z")
            return text.count
        }
    }

    /// Numbers as they are written one behind the other, without a string for each.
    private struct Text {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        /// Appends at least so many digits, and a mark.
        mutating func append(_ number: Int64, width: Int, before mark: Unicode.Scalar) {
            var digitCount = width
            var rest = number.magnitude
            for _ in 0..<width { rest /= 10 }
            while rest > 0 { (digitCount, rest) = (digitCount + 1, rest / 10) }
            if number < 0 { append(UInt8(ascii: "-")) }
            rest = number.magnitude
            for place in (count..<count + digitCount).reversed() {
                buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            count += digitCount
            append(UInt8(ascii: mark))
        }

        private mutating func append(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }
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
}
