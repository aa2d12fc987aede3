import Encodings

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The Date field. Made once a second by each loop, because it is on every answer.
enum HTTPDate {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF, of now.
    static func line() -> [UInt8] { Array("Date: \(text(secondsSince1970: time(nil)))\r\n".utf8) }

    /// RFC 9110 §5.6.7: IMF-fixdate.
    static func text(secondsSince1970 seconds: Int) -> String { HTTPTime.text(seconds: Int64(seconds)) }
}
