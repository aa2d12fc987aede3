import Tables

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileCalls {
    /// The system's own.
    ///
    /// - Parameter synchronizes: Whether to wait for the disk. Without it, files survive the end of the process, but
    ///   not of the machine.
    public static func system(synchronizes: Bool = true) -> FileCalls {
        var calls = FileCalls(
            create: System.createFile, open: System.openFile, write: System.append, read: System.readFile,
            synchronize: { descriptor throws(FileError) in
                if synchronizes { try System.synchronize(descriptor) }
            },
            close: { System.closeFile($0) }, rename: System.renameFile, link: System.linkFile,
            remove: System.removeFile,
            makeFolder: System.makeFolder,
            synchronizeFolder: { path throws(FileError) in
                if synchronizes { try System.synchronizeFolder(path) }
            },
            names: System.names)
        calls.space = System.space
        return calls
    }
}

/// The system calls, in a separate type so that the members of `FileCalls` do not shadow their names.
private enum System {
    @Sendable static func createFile(_ path: String) throws(FileError) -> CInt {
        try check(unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600))
    }

    @Sendable static func openFile(_ path: String) throws(FileError) -> CInt {
        try check(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
    }

    @Sendable static func closeFile(_ descriptor: CInt) { close(descriptor) }

    /// Memory safety: the range lies in the array, which lives for the call.
    @Sendable static func append(
        _ descriptor: CInt, _ bytes: [UInt8], _ range: Range<Int>
    ) throws(FileError) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the bytes are in the array")
        return try repeated {
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + range.lowerBound }, range.count)
            }
        }
    }

    /// Memory safety: there is room for `count` bytes, and those that were read are initialized.
    @Sendable static func readFile(_ descriptor: CInt, _ offset: Int, _ count: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, readCount in
            do throws(FileError) {
                readCount = try repeated { unsafe pread(descriptor, bytes.baseAddress, count, off_t(offset)) }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    @Sendable static func renameFile(_ path: String, _ newPath: String) throws(FileError) {
        _ = try check(unsafe rename(path, newPath))
    }

    @Sendable static func linkFile(_ path: String, _ newPath: String) throws(FileError) {
        _ = try check(unsafe link(path, newPath))
    }

    @Sendable static func removeFile(_ path: String) throws(FileError) { _ = try check(unsafe unlink(path)) }

    @Sendable static func makeFolder(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(code: errno) }
    }

    static func synchronizeFolder(_ path: String) throws(FileError) {
        let descriptor = try check(unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY))
        defer { close(descriptor) }
        try synchronize(descriptor)
    }

    /// On Darwin, `fsync` does not wait for the disk (fsync(2)).
    static func synchronize(_ descriptor: CInt) throws(FileError) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try check(fsync(descriptor))
    }

    @Sendable static func space(_ path: String) -> FileCalls.Space? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let blockBytes = Int(clamping: status.f_frsize)
        func byteCount(_ blockCount: some BinaryInteger) -> Int {
            let (bytes, overflow) = Int(clamping: blockCount).multipliedReportingOverflow(by: blockBytes)
            return overflow ? .max : bytes
        }
        return FileCalls.Space(freeBytes: byteCount(status.f_bavail), byteCount: byteCount(status.f_blocks))
    }

    @Sendable static func names(_ path: String) throws(FileError) -> [String] {
        do throws(FolderNames.Failure) {
            return try FolderNames.read(path)
        } catch { throw FileError(code: error.code) }
    }

    private static func check(_ result: CInt) throws(FileError) -> CInt {
        guard result >= 0 else { throw FileError(code: errno) }
        return result
    }

    private static func repeated(_ call: () -> Int) throws(FileError) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw FileError(code: errno) }
        }
    }
}
