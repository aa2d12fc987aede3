import Foundation
import Synchronization

/// A process that a test starts, and alone waits for.
///
/// Not Foundation's: where thousands of descriptors are open, as beside the tests of many sockets, its list of them may
/// be read past its end.
final class ChildProcess: Sendable {
    let processIdentifier: pid_t
    /// The exit code or the signal; nil as long as nobody has seen the end.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program in `folder` with nothing to read, its output in files that exist, and no other descriptor.
    init(_ program: String, _ arguments: [String], in folder: String, output: String, complaint: String) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        #if canImport(Darwin)
        posix_spawn_file_actions_addchdir_np(&actions, folder)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        #else
        try unsafe Self.addChangeDirectory(&actions, folder)
        #endif
        for (descriptor, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, complaint)] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        #if !canImport(Darwin)
        try unsafe Self.addCloseFrom(&actions, 3)
        #endif
        var words: [UnsafeMutablePointer<CChar>?] =
            unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        // Nothing of this process's own but the options of a sanitizer.
        let kept = ProcessInfo.processInfo.environment.filter { ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
        let settings: [String] = ["PATH=/usr/bin:/bin"] + kept.map { "\($0.key)=\($0.value)" }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe settings.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, program, &actions, &attributes, &words, &environment)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        processIdentifier = identifier
    }

    #if !canImport(Darwin)
    // glibc has them (<spawn.h>, 2.34), of the types below; Swift does not read headers as a GNU source, which alone is
    // shown them.

    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    private static func addChangeDirectory(_ actions: Actions, _ folder: String) throws {
        typealias Function = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
        _ = unsafe unsafeBitCast(try symbol("posix_spawn_file_actions_addchdir_np"), to: Function.self)(actions, folder)
    }

    private static func addCloseFrom(_ actions: Actions, _ first: Int32) throws {
        typealias Function = @convention(c) (Actions, Int32) -> Int32
        _ = unsafe unsafeBitCast(try symbol("posix_spawn_file_actions_addclosefrom_np"), to: Function.self)(
            actions, first)
    }

    private static func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
        guard let symbol = unsafe dlsym(nil, name) else { throw POSIXError(.ENOSYS) }
        return unsafe symbol
    }
    #endif

    var isRunning: Bool { wait(WNOHANG) == nil }

    /// The exit code, or the number of the signal that ended it.
    func waitUntilExit() -> Int32 { wait(0) ?? -1 }

    /// Sends a signal, if the process has not ended: its number may be another's by then.
    func send(_ signal: Int32) {
        status.withLock { status in
            if status == nil { kill(processIdentifier, signal) }
        }
    }

    private func wait(_ options: Int32) -> Int32? {
        status.withLock { status in
            guard status == nil else { return status }
            var word: Int32 = 0
            while true {
                let ended = unsafe waitpid(processIdentifier, &word, options)
                if ended == processIdentifier { break }
                guard ended < 0, errno == EINTR else { return nil }
            }
            // As <sys/wait.h> takes it apart: the low seven bits are the signal, the second byte the code.
            status = word & 0x7F == 0 ? word >> 8 & 0xFF : word & 0x7F
            return status
        }
    }
}
