#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system knows of this process, under the names that Prometheus' own client libraries use ("Writing client
/// libraries", "Process metrics"). What a system does not report is left out.
struct ProcessFigures {
    /// Processor time in user and system mode, in seconds.
    var cpuSeconds: Double?
    /// Bytes of memory that are in use.
    var residentBytes: Int?
    /// Descriptors that are open, and that may be.
    var openFileCount: Int?
    var openFilesMax: Int?
    /// Seconds since 1970 at which the process began.
    var startSeconds: Double?

    /// As they are now.
    init() {
        var usage = rusage()
        #if canImport(Glibc)
        let whose = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
        let whose = RUSAGE_SELF
        #endif
        if unsafe getrusage(whose, &usage) == 0 {
            cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        }
        openFilesMax = OpenFiles.limit
        #if os(Linux)
        (residentBytes, startSeconds) = (Self.linuxResidentBytes, Self.linuxStartSeconds)
        #endif
        // Linux has them there; so has macOS, under another name.
        openFileCount = ["/proc/self/fd", "/dev/fd"].lazy.compactMap { try? Files.names(inFolder: $0) }.first.map {
            // One of them is the folder itself.
            $0.count - 1
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    #if os(Linux)
    /// proc(5), `/proc/[pid]/statm`: the second number is the resident pages.
    private static var linuxResidentBytes: Int? {
        guard let bytes = try? Files.read("/proc/self/statm") else { return nil }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return numbers.dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// proc(5), `/proc/[pid]/stat`: the 22nd field is when the process began, in ticks since the system did; the name in
    /// parentheses before may hold anything. `btime` of `/proc/stat` is when the system began.
    private static let linuxStartSeconds: Double? = {
        guard let bytes = try? Files.read("/proc/self/stat"), let system = try? Files.read("/proc/stat") else {
            return nil
        }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
        let lines = String(decoding: system, as: UTF8.self).split(separator: "\n")
        guard let ticks = fields?.dropFirst(19).first.flatMap({ Double($0) }),
            let boot = lines.first(where: { $0.hasPrefix("btime ") })?.split(separator: " ").last.flatMap({ Double($0) }
            )
        else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()
    #endif

    /// The figures as families of metrics.
    var families: [MetricFamily] {
        [
            family("cpu_seconds_total", .counter, "User and system processor time, in seconds.", cpuSeconds),
            family("resident_memory_bytes", .gauge, "Resident memory, in bytes.", residentBytes),
            family("open_fds", .gauge, "File descriptors open now.", openFileCount),
            family("max_fds", .gauge, "File descriptors that may be open.", openFilesMax),
            family("start_time_seconds", .gauge, "When the process began, in seconds since 1970.", startSeconds),
        ].compactMap(\.self)
    }

    private func family(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: (some CustomStringConvertible)?
    ) -> MetricFamily? {
        value.map {
            MetricFamily(name: "process_\(name)", kind: kind, help: help, samples: [.init(value: $0.description)])
        }
    }
}
