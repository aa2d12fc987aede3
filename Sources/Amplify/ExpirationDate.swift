import Encodings
import JSON

/// The moment at which an API key expires, as the files of a project have it. Amplify writes RFC 3339 in UTC; the older
/// parameter `APIKeyExpirationEpoch` and edited files have other forms.
enum ExpirationDate {
    /// The end of the year 9999, the last that RFC 3339 can write.
    private static let secondsMax: Int64 = 253_402_300_799
    /// Numbers from here on are milliseconds: as seconds they would be of the year 5138 or later.
    private static let millisecondsMin: Int64 = 100_000_000_000

    /// Whole seconds since 1970 of a moment in RFC 3339, of a day (its begin in UTC), of an HTTP date, or of seconds or
    /// milliseconds since 1970 as a number or as text; nil of anything else.
    static func seconds(_ value: JSONValue) -> Int64? {
        if let number = value.intValue { return seconds(since1970: Int64(number)) }
        guard let text = value.stringValue, text.utf8.count <= 64 else { return nil }
        if let number = Int64(text) { return seconds(since1970: number) }
        return moment(Array(text.utf8)) ?? HTTPTime.seconds(of: text)
    }

    private static func seconds(since1970 number: Int64) -> Int64? {
        let seconds = number >= millisecondsMin ? number / 1_000 : number
        return (0...secondsMax).contains(seconds) ? seconds : nil
    }

    /// RFC 3339 §5.6 `date-time`, the time or the offset left out.
    private static func moment(_ bytes: [UInt8]) -> Int64? {
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func has(_ signs: String, at index: Int) -> Bool { index < bytes.count && signs.utf8.contains(bytes[index]) }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
            let day = number(8..<10), 1...12 ~= month,
            1...Int64(CivilDate.dayCount(ofMonth: Int(month), year: Int(year))) ~= day
        else { return nil }
        let midnight = CivilDate.day(year: year, month: month, day: day) * 86_400
        guard bytes.count > 10 else { return midnight }
        guard has("Tt ", at: 10), let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16),
            has(":", at: 16), let second = number(17..<19), hour < 24, minute < 60, second <= 60
        else { return nil }
        var index = 19
        if has(".", at: index) {
            let start = index + 1
            index = start
            while has("0123456789", at: index) { index += 1 }
            guard index > start else { return nil }
        }
        let seconds = midnight + hour * 3_600 + minute * 60 + second
        if index == bytes.count || (has("Zz", at: index) && index + 1 == bytes.count) { return seconds }
        guard has("+-", at: index), has(":", at: index + 3), bytes.count == index + 6,
            let hours = number(index + 1..<index + 3), let minutes = number(index + 4..<index + 6), hours < 24,
            minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return has("+", at: index) ? seconds - offset : seconds + offset
    }
}
