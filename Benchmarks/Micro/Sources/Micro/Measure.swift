#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Passes of each benchmark; the fastest is reported: what else happens on the machine makes a pass slower, never faster.
private let passCount = 60
/// How long one pass takes at least, in nanoseconds.
private let passNanoseconds = 10_000_000.0

/// Runs `operation` in passes long enough for the clock and prints the fastest one's nanoseconds per operation, with the
/// bound it is to keep, as one line of fields with tabs between.
func measure(_ name: String, boundNanoseconds: Double? = nil, _ operation: () throws -> Void) rethrows {
    var count = 1
    while try time(count, operation) < passNanoseconds { count *= 2 }
    let passes = try (0..<passCount).map { _ in try time(count, operation) / Double(count) }
    print("\(name)\t\((passes.min() ?? 0).rounded())\t\(boundNanoseconds.map { "\($0)" } ?? "")")
}

/// CPU time of this thread, so that what else the machine does is not measured.
private func time(_ count: Int, _ operation: () throws -> Void) rethrows -> Double {
    let start = threadNanoseconds()
    for _ in 0..<count { try operation() }
    return threadNanoseconds() - start
}

private func threadNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Keeps a result from being optimised away.
@inline(never) func use<Value: ~Copyable>(_ value: borrowing Value) {}
