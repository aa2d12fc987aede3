#if os(Linux)
import Foundation

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
