#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// What a file is, whatever path, symbolic link or hard link leads to it: its device and its inode (POSIX, `stat`).
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    /// Whether it is a regular file.
    let isRegular: Bool

    /// What is at the end of a path, symbolic links followed; nil if there is nothing.
    init?(of path: String) {
        self.init { unsafe stat(path, &$0) }
    }

    /// The open file.
    init?(of file: Int32) {
        self.init { unsafe fstat(file, &$0) }
    }

    private init?(_ look: (inout stat) -> Int32) {
        var status = stat()
        guard look(&status) == 0 else { return nil }
        (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}

extension FileIdentity {
    /// Whether a path leads to a file in the folder, at any depth: by a hard link as well, whose path is elsewhere.
    static func isFile(_ path: String, in folder: String) -> Bool {
        FileIdentity(of: path)?.isFound(in: folder, depthMax: 16) ?? false
    }

    /// Whether an entry of the folder, or of a folder below it, is this file. Symbolic links to folders are not followed.
    private func isFound(in folder: String, depthMax: Int) -> Bool {
        guard depthMax > 0, let names = try? FolderNames.read(folder) else { return false }
        for name in names {
            let path = "\(folder)/\(name)"
            if FileIdentity(of: path) == self { return true }
            var status = stat()
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            if isFound(in: path, depthMax: depthMax - 1) { return true }
        }
        return false
    }

    /// Whether a path is that of the folder or of something in it, at any depth. What the path names need not be there,
    /// but the folder that it is in.
    static func isPath(_ path: String, inside folder: String) -> Bool {
        guard let folder = FileIdentity(of: folder) else { return false }
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // Of a symbolic link: the folder that it is in, and where it leads.
        for start in [parent, path] {
            // The resolved path is ours to free; it is copied first.
            guard let resolved = unsafe realpath(start, nil) else { continue }
            defer { unsafe free(resolved) }
            var place = unsafe String(cString: resolved)
            while place.count > 1 {
                if FileIdentity(of: place) == folder { return true }
                guard let slash = place.lastIndex(of: "/") else { break }
                place = String(place[..<slash])
            }
            if FileIdentity(of: "/") == folder { return true }
        }
        return false
    }
}
