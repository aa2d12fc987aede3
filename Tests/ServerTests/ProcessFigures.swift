#if os(Linux)
import Foundation

/// Whether the tests, and the server with them, are built with the address or the thread sanitizer. Both keep freed memory for
/// a while, so that its use is found, and a process grows by that.
let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// What the system reports of a server's process; only Linux does so in files.
extension Running {
    /// Descriptors that are open.
    var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count) ?? 0
    }

    /// Time that the process has spent on processors, in milliseconds: proc(5), `utime` and `stime` of `stat`, in ticks
    /// of which a second has a hundred.
    var processorMilliseconds: Int {
        let stat = (try? String(contentsOfFile: "/proc/\(processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? ((Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)) * 10 : 0
    }

    /// Memory that is no file's, in KiB.
    var anonymousKiB: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
#endif
