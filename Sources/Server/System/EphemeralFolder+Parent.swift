#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// The one place that knows which system this is.
extension EphemeralFolder {
    /// Where throw-away folders are made: in memory on Linux, else where the system keeps temporary files.
    static var parentFolder: String {
        #if os(Linux)
        // Linux keeps POSIX shared memory in a file system of its own (shm_overview(7)); it never touches a disk.
        let memory = "/dev/shm"
        if Files.isFolder(memory), unsafe access(memory, W_OK | X_OK) == 0 { return memory }
        #endif
        guard let folder = unsafe getenv("TMPDIR").map({ unsafe String(cString: $0) }), !folder.isEmpty else {
            return "/tmp"
        }
        return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }
}
