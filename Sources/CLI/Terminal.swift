import Encodings
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lines for people and scripts; each leaves in one piece, at once, also when the output is a pipe.
enum Terminal {
    /// A result, on standard output.
    static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// A result that contains text from clients, as lines for people or as JSON.
    static func show(_ text: String) { say(PrintableText.lines(text)) }

    /// An error message, on standard error. A server that shuts down does not wait forever for the reader of its log.
    static func complain(_ text: String) {
        let text = PrintableText.lines(text)
        guard !Log.writeLast(text.hasSuffix("\n") ? text : text + "\n") else { return }
        write(text, to: STDERR_FILENO)
    }

    /// Asks on the terminal; `nil` when there is no terminal to ask on.
    static func confirms(_ question: String) -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        write("\(PrintableText.lines(question)) [y/N] ", to: STDERR_FILENO, ending: "")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Replaces the last line of the terminal.
    static func showProgress(_ text: String) { write("\r\u{1B}[K\(text)", to: STDERR_FILENO, ending: "") }

    /// Ends the process with an exit code. What was logged is written before.
    static func end(_ code: Int32) -> Never { exit(code) }

    private static func write(_ text: String, to descriptor: Int32, ending: String = "\n") {
        var bytes = Array((text.hasSuffix("\n") ? text : text + ending).utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Standard output is closed, so there is nowhere to report it.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
