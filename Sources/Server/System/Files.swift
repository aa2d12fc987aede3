internal import Tables

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
#if canImport(CoreFoundation)
// On Linux CoreFoundation has the members of `stat` for its own when another file of the target has brought it in first.
internal import CoreFoundation
#endif

/// The few things the server asks of the file system, none of them on the path of a request.
public enum Files {
    /// A call of the system that failed: what was tried, and the system's own words.
    public struct Failure: Error, Sendable {
        /// The system's number, such as `ENOENT`.
        public var code: Int32
        /// The system's words, such as "No such file or directory".
        public var reason: String

        init(code: Int32) {
            self.code = code
            reason = unsafe String(cString: strerror(code))
        }

        init(code: Int32, reason: String) {
            self.code = code
            self.reason = reason
        }

        static var last: Failure { Failure(code: errno) }
    }

    /// Distinguishes states of a file without reading it.
    public struct Fingerprint: Sendable, Hashable {
        var inode: UInt64
        var size: Int64
        var modifiedSeconds: Int64
        var modifiedNanoseconds: Int64
    }

    /// Whether there is a folder at `path`.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the folder or file at `path` is this user's, and not everybody may write to it.
    static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IWOTH == 0
    }

    /// The permissions of the file at `path`, its lowest nine bits; nil where there is none.
    static func permissions(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
    }

    /// Whether there is anything at `path`.
    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Why it is not known whether there is anything at `path`, such as "Permission denied"; nil if there is or is not.
    static func problemFinding(_ path: String) -> String? {
        guard unsafe access(path, F_OK) != 0 else { return nil }
        let failure = Failure.last
        return [ENOENT, ENOTDIR].contains(failure.code) ? nil : failure.reason
    }

    /// The state of the file at `path`; `nil` when there is none.
    public static func fingerprint(_ path: String) -> Fingerprint? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        #if canImport(Glibc)
        let modified = status.st_mtim
        #else
        let modified = status.st_mtimespec
        #endif
        return Fingerprint(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), modifiedSeconds: Int64(modified.tv_sec),
            modifiedNanoseconds: Int64(modified.tv_nsec))
    }

    /// The bytes of the regular file at `path`. Larger files than `bytesMax` are refused (`EFBIG`); so is what is no
    /// file, such as a named pipe, for which the caller could wait forever.
    public static func read(_ path: String, bytesMax: Int = 64 << 20) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Failure(code: EISDIR)
        default: throw Failure(code: EINVAL, reason: "Not a regular file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else { throw Failure(code: EFBIG) }
        }
    }

    /// Why the file at `path` cannot be read as one: there is nothing at it, or no regular file; nil if it may be. It is not
    /// opened.
    static func problemReading(_ path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            let reason = Failure.last.reason
            return target(ofLink: path) == nil ? reason : "It is a link that leads nowhere: \(reason)"
        }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "Not a regular file"
    }

    /// The names in the folder at `path`, sorted, without `.` and `..`.
    public static func names(inFolder path: String) throws(Failure) -> [String] {
        do throws(FolderNames.Failure) {
            return try FolderNames.read(path).sorted()
        } catch { throw Failure(code: error.code) }
    }

    /// The path of a name in a folder.
    static func path(_ name: String, in folder: String) -> String {
        folder.isEmpty || folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The path from the root, for another process than this one.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe self.path(path, in: String(cString: folder))
    }

    /// The path without links; nil where there is nothing at it.
    static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// A path with a random name in the folder of a path, for a file that takes its place when it is complete. The length of the
    /// name does not depend on that of the path.
    static func freshPath(beside path: String) -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return self.path("syncline-\(random).partial", in: folder(of: path))
    }

    /// The folder that a path is in; `.` for a name alone.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path, after the last slash.
    package static func name(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    /// The files in a folder and in those below it, by name, each folder's where its name stands; hidden ones are left
    /// out. Nothing where there is no such folder.
    ///
    /// A folder that links show at several paths is listed once.
    ///
    /// - Parameter base: A path without links. A folder outside it is listed as a file is, and not entered. Nil to enter all.
    static func tree(_ folder: String, depthMax: Int = 32, within base: String? = nil) -> [String] {
        var seen: Set<String> = []
        return tree(folder, depthMax, base, &seen)
    }

    /// Whether a path without links is another one, or below it.
    static func isInside(_ path: String, _ base: String) -> Bool {
        path == base || path.hasPrefix(base == "/" ? "/" : "\(base)/")
    }

    private static func tree(
        _ folder: String, _ depthMax: Int, _ base: String?, _ seen: inout Set<String>
    ) -> [String] {
        let identity = realPath(folder) ?? folder
        if let base, isFolder(folder), !isInside(identity, base) { return [folder] }
        guard depthMax > 0, isFolder(folder), seen.insert(identity).inserted,
            let names = try? names(inFolder: folder)
        else { return [] }
        var files: [String] = []
        for name in names where !name.hasPrefix(".") {
            let path = path(name, in: folder)
            if isFolder(path) { files += tree(path, depthMax - 1, base, &seen) } else { files.append(path) }
        }
        return files
    }

    /// What the symbolic link at `path` leads to; nil when there is none that may be read.
    ///
    /// Memory safety: `readlink` writes at most the count it is given.
    static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 1_024)
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The number of this process.
    public static var processIdentifier: Int32 { getpid() }

    /// Whether a process of this number runs.
    public static func isRunning(_ process: Int32) -> Bool { process > 0 && (kill(process, 0) == 0 || errno == EPERM) }

    /// Writes the file at `path` in one step: a reader sees all of `text` or the file as it was.
    /// Where `isPrivate`, only this user may read it; where `isDurable`, it is on disk before it takes its name.
    ///
    /// - Parameter keepsPermissions: Whether the permissions of the file that is replaced are kept.
    /// - Parameter draft: Where it is written before it takes its name, on the same disk; fails if there is anything. Nil for a random
    ///   name beside it.
    /// - Parameter mayReplace: Asked when the draft is whole, right before it takes its name. If not, the file stays as it is, and the
    ///   error has the code `ECANCELED`.
    public static func write(
        _ text: String, to path: String, isPrivate: Bool = false, isDurable: Bool = false,
        keepsPermissions: Bool = false,
        draft: String? = nil, mayReplace: () -> Bool = { true }
    ) throws(Failure) {
        let kept = keepsPermissions && !isPrivate ? permissions(path) : nil
        let draft = draft ?? freshPath(beside: path)
        // What is at that path is none of ours: a file is not overwritten, and a link not followed.
        let descriptor = unsafe open(
            draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, isPrivate || kept != nil ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .last }
        if let kept { fchmod(descriptor, mode_t(kept)) }
        let isWhole = writeAll(Array(text.utf8), to: descriptor) && (!isDurable || fsync(descriptor) == 0)
        close(descriptor)
        var failure: Failure?
        if !isWhole { failure = .last } else if !mayReplace() { failure = Failure(code: ECANCELED) }
        if failure == nil, unsafe rename(draft, path) != 0 { failure = .last }
        guard let failure else { return }
        unsafe unlink(draft)
        throw failure
    }

    /// Writes all of `bytes`, for which it waits; false when the system took no more.
    ///
    /// Memory safety: `written` is below the count when the rest is taken.
    @discardableResult
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // Another process that shares the terminal or pipe may have made it non-blocking.
                if count < 0, errno == EAGAIN {
                    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    unsafe poll(&request, 1, -1)
                    continue
                }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }

    /// Removes the file at `path`, if there is one.
    public static func remove(_ path: String) { unsafe unlink(path) }

    /// Removes the folder at `path` and all that is in it. Symbolic links in it are removed, never followed; if `path` itself is
    /// one, nothing is removed.
    public static func removeFolder(_ path: String) { removeFolder(path, in: AT_FDCWD) }

    /// - Parameter parent: The descriptor of the folder that a name is in.
    private static func removeFolder(_ name: String, in parent: Int32) {
        let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        removeContents(of: folder)
        close(folder)
        unsafe unlinkat(parent, name, AT_REMOVEDIR)
    }

    /// Removes all that is in an open folder, links as such, but for one name.
    static func removeContents(of folder: Int32, except kept: String? = nil) {
        for name in (try? FolderNames.read(folder: folder)) ?? [] where name != kept {
            if unsafe unlinkat(folder, name, 0) != 0 { removeFolder(name, in: folder) }
        }
    }

    /// Gives what is at `path` another name, in one step; a folder takes the place of an empty one only.
    static func move(_ path: String, to other: String) throws(Failure) {
        guard unsafe rename(path, other) == 0 else { throw .last }
    }

    /// Makes the folder at `path`, with those above it, unless it is there; for this user alone.
    public static func makeFolder(_ path: String) throws(Failure) {
        guard !path.isEmpty, !isFolder(path) else { return }
        let above = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        try makeFolder(above)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
    }

    /// Whether this process may write at `path`.
    static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// A fresh folder of its own below `parent`, readable by this user alone.
    static func makeFreshFolder(in parent: String, prefix: String) throws(Failure) -> String {
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        // mkdtemp makes the folder with mode 0700 (POSIX, mkdtemp).
        let isMade = unsafe mkdtemp(&template) != nil
        guard isMade else { throw .last }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// Inside `Files` the names `read` and `write` are its own.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
