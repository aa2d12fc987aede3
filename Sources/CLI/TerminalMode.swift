import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The mode of the terminal in which each key is read as it is pressed, and not shown. Keys that send signals still do.
enum TerminalMode {
    /// The terminal's mode before `begin()`; nil while that mode is in effect.
    private static let original = Mutex<termios?>(nil)

    /// Begins the mode; false if the terminal does not support it. The end of the process restores the terminal.
    static func begin() -> Bool {
        var mode = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
        let isFirst = original.withLock { original in
            defer { original = original ?? mode }
            return original == nil
        }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 else { return false }
        if isFirst { atexit { TerminalMode.end() } }
        return true
    }

    /// Restores the terminal.
    static func end() {
        original.withLock { original in
            guard var mode = original else { return }
            unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            original = nil
        }
    }
}
