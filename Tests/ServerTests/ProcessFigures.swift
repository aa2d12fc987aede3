#if os(Linux)
import Foundation

/// What the system says of a server's process; only Linux tells it in files.
extension Running {
    /// Descriptors that are open.
    var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count) ?? 0
    }

    /// Memory that is no file's, in KiB.
    var anonymousKiB: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
#endif
