import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The Unix-domain socket of a data folder, `operators.sock`, by which verbs reach the server that runs on the folder.
///
/// A socket's path has room for about a hundred bytes (unix(7), `sun_path`; 108 with the final NUL on Linux, 104 on
/// macOS). Linux reaches a folder of any path by one of its descriptors; elsewhere a longer path has no socket.
final class OperatorSocket: Sendable {
    static let name = "operators.sock"

    /// What to bind and to connect to, as long as this object lives.
    let path: String
    private let descriptor: Int32
    private let file = Mutex<Files.Fingerprint?>(nil)

    /// The socket of a folder that is there.
    init(folder: String) throws(ServerError) {
        let plain = Files.path(Self.name, in: folder)
        guard plain.utf8.count > Self.pathBytesMax else {
            (path, descriptor) = (plain, -1)
            return
        }
        #if os(Linux)
        descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ServerError(.data, "Cannot open the data folder \(folder): \(Files.Failure.last.reason).")
        }
        path = "/proc/self/fd/\(descriptor)/\(Self.name)"
        #else
        throw ServerError(
            .data, "The path \(plain) has more than \(Self.pathBytesMax) bytes, too many for a socket.",
            hint: "Choose a data folder with a shorter path, or name it relative to the working folder.")
        #endif
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Notes which file a server has made, for `remove`.
    func noteFile() { file.withLock { $0 = Files.fingerprint(path) } }

    /// Removes the file, unless another server's has taken its place.
    func remove() {
        guard let noted = file.withLock({ $0 }), Files.fingerprint(path) == noted else { return }
        Files.remove(path)
    }

    /// Without the final NUL.
    private static var pathBytesMax: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }
}
