import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keys that are pressed in the terminal of this process. Standard input is read only if it is a terminal and this process runs
/// in its foreground.
enum TerminalKeys {
    /// Seconds between two looks whether the process is in the foreground again.
    private static let backgroundSeconds: UInt32 = 1

    /// Reads keys as they are pressed, until the process ends, which restores the terminal.
    ///
    /// - Parameter pressed: Called with each byte, on a thread of its own.
    /// - Returns: Whether there is a terminal.
    static func watch(_ pressed: @escaping @Sendable (UInt8) -> Void) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isInForeground, TerminalMode.begin() else { return false }
        // A process in the background that reads is stopped otherwise.
        signal(SIGTTIN, SIG_IGN)
        Thread.detachNewThread {
            while true {
                var byte: UInt8 = 0
                let count = unsafe read(STDIN_FILENO, &byte, 1)
                if count == 1 {
                    pressed(byte)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EIO, !isInForeground {
                    sleep(backgroundSeconds)
                } else {
                    return
                }
            }
        }
        return true
    }

    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }
}
