/// Moments as AppSync's resolvers write them: RFC 3339 in UTC with milliseconds, `2023-04-05T06:07:08.910Z`.
public enum DateTime {
    /// The text of a moment, in milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// Memory safety: 32 bytes hold the longest text. A year of 64-bit milliseconds has at most nine digits and a sign, and 20
    /// bytes follow it.
    public static func text(milliseconds: Int64) -> String {
        let (days, ofDay) = FloorDivision.divide(milliseconds, by: 86_400_000)
        let date = CivilDate(day: days)
        let second = ofDay / 1000
        return unsafe String(unsafeUninitializedCapacity: 32) { buffer in
            var text = unsafe Text(buffer: buffer)
            text.append(date.year, width: 4, before: "-")
            text.append(date.month, width: 2, before: "-")
            text.append(date.day, width: 2, before: "T")
            text.append(second / 3600, width: 2, before: ":")
            text.append(second / 60 % 60, width: 2, before: ":")
            text.append(second % 60, width: 2, before: ".")
            text.append(ofDay % 1000, width: 3, before: "Z")
            return text.count
        }
    }

    /// Numbers written one after the other, without a string for each.
    ///
    /// `text` gives it a buffer that is large enough, and it lives inside that buffer's closure.
    @safe private struct Text {
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
                unsafe buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            count += digitCount
            append(UInt8(ascii: mark))
        }

        private mutating func append(_ byte: UInt8) {
            unsafe buffer[count] = byte
            count += 1
        }
    }
}
