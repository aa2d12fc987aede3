#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The processor time that the calling thread has used: what a step costs those who wait for the thread, whatever else
/// the machine does.
enum ThreadClock {
    /// In nanoseconds, from an arbitrary beginning.
    static var nanoseconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
