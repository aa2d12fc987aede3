#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program that is run to its end, with this process's streams and environment.
enum Subprocess {
    /// Runs the program that `command` begins with, found as in a shell, and returns its exit code; 128 and more is a
    /// signal's, as in a shell.
    ///
    /// Memory safety: the words are NUL-terminated copies that live until the program was started, and the list ends with nil.
    static func run(_ command: [String]) throws(Files.Failure) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawnp(&process, arguments[0] ?? strdup(""), nil, nil, &arguments, environ)
        guard code == 0 else { throw Files.Failure(code: code) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Files.Failure.last }
        }
        // <sys/wait.h>: the low seven bits are the signal, the next eight the code.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
