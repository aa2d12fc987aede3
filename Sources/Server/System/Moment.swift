import Encodings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
#if canImport(CoreFoundation)
// On Linux CoreFoundation has the members of `timespec` for its own when another file of the target has brought it in first.
import CoreFoundation
#endif

/// A moment in time, to the millisecond.
struct Moment: Sendable, Hashable {
    /// Since 1970-01-01T00:00:00Z, without leap seconds (POSIX, "Seconds Since the Epoch").
    var milliseconds: Int64

    /// The present one, by the system's clock.
    static var now: Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Moment(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Whole seconds since then.
    var seconds: Int64 { milliseconds / 1_000 }

    /// As in RFC 3339 with milliseconds, such as `2026-01-02T03:04:05.678Z`.
    var text: String { DateTime.text(milliseconds: milliseconds) }
}
