import Encodings

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The Date field. Made once a second by each loop, because it is on every answer.
struct HTTPDate {
    let secondsSince1970: Int
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF.
    let line: [UInt8]

    /// The date of now. `time` may be some milliseconds late at the turn of a second.
    static func now() -> HTTPDate {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let seconds = Int(time.tv_sec)
        return HTTPDate(
            secondsSince1970: seconds, line: Array("Date: \(text(secondsSince1970: seconds))\r\n".utf8))
    }

    /// RFC 9110 §5.6.7: IMF-fixdate.
    static func text(secondsSince1970 seconds: Int) -> String { HTTPTime.text(seconds: Int64(seconds)) }
}
