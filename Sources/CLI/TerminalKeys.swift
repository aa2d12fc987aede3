import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keys that are pressed in the terminal of this process. Standard input is read only if it is a terminal and this process runs
/// in its foreground.
enum TerminalKeys {
    /// How often a process in the background checks whether it is in the foreground again, in seconds.
    private static let backgroundSeconds: UInt32 = 1

    /// Reads keys as they are pressed, until the process ends, which restores the terminal.
    ///
    /// - Parameter pressed: Called with each byte, on a thread of its own.
    /// - Returns: Whether keys are read: false without a terminal, and in the background.
    static func watch(_ pressed: @escaping @Sendable (UInt8) -> Void) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isInForeground, TerminalMode.begin() else { return false }
        // Otherwise a process that reads in the background is stopped.
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
