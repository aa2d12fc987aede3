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

    /// Runs a program that reads `input`, for so many seconds at most, and without a shell.
    ///
    /// - Returns: Its exit code, 128 and more for a signal's, and the beginning of what it wrote to standard error.
    ///
    /// Memory safety: as above; the descriptors are this function's own and are closed before it returns.
    static func run(
        _ command: [String], input: [UInt8], seconds: Int
    ) throws(Files.Failure) -> (code: Int32, complaint: String) {
        guard let stdin = unsafe tmpfile() else { throw .last }
        defer { unsafe fclose(stdin) }
        guard let stderr = unsafe tmpfile() else { throw .last }
        defer { unsafe fclose(stderr) }
        unsafe _ = fwrite(input, 1, input.count, stdin)
        unsafe rewind(stdin)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        #if canImport(Glibc)
        var actions = unsafe posix_spawn_file_actions_t()
        #else
        var actions = unsafe posix_spawn_file_actions_t(bitPattern: 0)
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, fileno(stdin), 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, fileno(stderr), 2)
        var process = pid_t()
        let code = unsafe posix_spawnp(&process, arguments[0] ?? strdup(""), &actions, nil, &arguments, environ)
        guard code == 0 else { throw Files.Failure(code: code) }
        var status: Int32 = 0
        let end = ContinuousClock.now + .seconds(seconds)
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            if ContinuousClock.now >= end {
                kill(process, SIGKILL)
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
                return (75, "it took longer than \(seconds) seconds")
            }
            usleep(5_000)
        }
        var text = [UInt8](repeating: 0, count: 500)
        unsafe rewind(stderr)
        let count = unsafe fread(&text, 1, text.count, stderr)
        let complaint = String(decoding: text.prefix(count), as: UTF8.self).split(whereSeparator: \.isNewline)
        return (
            status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F), complaint.joined(separator: " ")
        )
    }
}
