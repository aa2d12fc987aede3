#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// What time it is, as people's clocks have it, which may step back.
public struct WallClock: Sendable {
    /// Milliseconds since 1970.
    public var milliseconds: @Sendable () -> Int64

    /// Makes a clock of a function.
    public init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
    }

    /// The machine's.
    public static let system = WallClock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
