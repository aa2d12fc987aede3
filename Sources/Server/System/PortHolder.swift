#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Who listens on a port, as far as the system reports it: Linux does, for processes that this user may inspect.
enum PortHolder {
    /// Such as `syncline (process 4711)`; nil where nothing is known.
    static func name(ofPort port: Int) -> String? {
        #if os(Linux)
        let sockets = listeners(onPort: port)
        guard !sockets.isEmpty else { return nil }
        return process(holding: Set(sockets.map { "socket:[\($0.inode)]" }))
            ?? sockets.first.map { socket in
                "a process of another user (user id \(socket.user))"
            }
        #else
        nil
        #endif
    }

    #if os(Linux)
    /// proc(5), `/proc/net/tcp`: in each line the second word is the local address and port in hexadecimal digits, the
    /// fourth the state, of which 0A is "listening", the eighth the user, the tenth the socket's inode.
    private static func listeners(onPort port: Int) -> [(inode: Substring, user: Substring)] {
        ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path -> [(inode: Substring, user: Substring)] in
            guard let bytes = try? Files.read(path) else { return [] }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
                let words = line.split(separator: " ")
                guard words.count > 9, words[3] == "0A", let digits = words[1].split(separator: ":").last,
                    Int(digits, radix: 16) == port
                else { return nil }
                return (inode: words[9], user: words[7])
            }
        }
    }

    /// The first process with one of these sockets among its descriptors (proc(5), `/proc/[pid]/fd`).
    private static func process(holding sockets: Set<String>) -> String? {
        for name in (try? Files.names(inFolder: "/proc")) ?? [] where name.allSatisfy(\.isNumber) {
            let folder = "/proc/\(name)/fd"
            let holds = ((try? Files.names(inFolder: folder)) ?? []).contains { descriptor in
                Files.target(ofLink: "\(folder)/\(descriptor)").map(sockets.contains) ?? false
            }
            guard holds else { continue }
            let program = (try? Files.read("/proc/\(name)/comm")).map { String(decoding: $0, as: UTF8.self) }
            let words = program?.split(whereSeparator: \.isNewline).first.map(String.init)
            return "\(words ?? "a program") (process \(name))"
        }
        return nil
    }
    #endif
}
