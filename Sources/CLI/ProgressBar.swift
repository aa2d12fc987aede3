import Encodings
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How far a file has come, on a terminal; nothing elsewhere.
final class ProgressBar: Sendable {
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    /// The percentage or the mebibytes that are shown.
    private let shown = Mutex(-1)

    /// Shows a file's bytes so far.
    func show(_ name: String, _ count: Int, _ total: Int?) {
        guard isOnTerminal else { return }
        let step = total.map { $0 == 0 ? 100 : count * 100 / $0 } ?? count >> 20
        let isNew = shown.withLock { shown in
            defer { shown = step }
            return shown != step
        }
        guard isNew else { return }
        let bar =
            total == nil
            ? "" : "[\(String(repeating: "#", count: step / 5))\(String(repeating: " ", count: 20 - step / 5))] "
        Terminal.showProgress("\(bar)\(step) \(total == nil ? "MiB" : "%")  \(PrintableText.line(name))")
    }

    /// Clears the line.
    func end() {
        let wasShown = shown.withLock { shown in
            defer { shown = -1 }
            return shown >= 0
        }
        if isOnTerminal, wasShown { Terminal.showProgress("") }
    }
}
