#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The processor's cores, as far as this process may use them.
enum Cores {
    /// At least one. A process can be bound to some of the cores, as taskset and containers do (sched_setaffinity(2)),
    /// and more event loops than those would only take turns.
    static var usableCount: Int {
        #if os(Linux)
        // proc(5): "Cpus_allowed: Hexadecimal mask of CPUs on which this process may run", such as `00000000,0000000f`.
        let status = (try? Files.read("/proc/self/status")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") } ?? ""
        let count = line.dropFirst("Cpus_allowed:".count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        if count > 0 { return count }
        #endif
        return max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
