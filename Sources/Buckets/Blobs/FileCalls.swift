/// The system calls used for blobs. Tests replace them to inject errors and power failures.
///
/// Paths are absolute. The caller closes descriptors.
public struct FileCalls: Sendable {
    /// Creates a file for writing, readable only by its owner; fails if it exists.
    public var create: @Sendable (_ path: String) throws(FileError) -> CInt
    /// Opens a file for reading.
    public var open: @Sendable (_ path: String) throws(FileError) -> CInt
    /// Appends bytes of an array to a file; returns the number of written bytes, which may be smaller.
    public var write: @Sendable (_ descriptor: CInt, _ bytes: [UInt8], _ range: Range<Int>) throws(FileError) -> Int
    /// Reads up to a number of bytes at an offset; fewer at the end of the file, none after it.
    public var read: @Sendable (_ descriptor: CInt, _ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
    /// Waits until the written bytes are on the disk.
    public var synchronize: @Sendable (_ descriptor: CInt) throws(FileError) -> Void
    /// Closes a descriptor.
    public var close: @Sendable (_ descriptor: CInt) -> Void
    /// Renames a file, replacing an existing file of that name.
    public var rename: @Sendable (_ path: String, _ newPath: String) throws(FileError) -> Void
    /// Creates a hard link.
    public var link: @Sendable (_ path: String, _ newPath: String) throws(FileError) -> Void
    /// Unlinks a file. Its bytes stay until the last descriptor is closed.
    public var remove: @Sendable (_ path: String) throws(FileError) -> Void
    /// Creates a folder, readable only by its owner; an existing folder is not changed.
    public var makeFolder: @Sendable (_ path: String) throws(FileError) -> Void
    /// Waits until the names in a folder are on the disk.
    public var synchronizeFolder: @Sendable (_ path: String) throws(FileError) -> Void
    /// The names in a folder, in any order, without `.` and `..`.
    public var names: @Sendable (_ folder: String) throws(FileError) -> [String]

    /// The space of the disk that has a folder; nil if it is unknown.
    public var space: @Sendable (_ folder: String) -> Space? = { _ in nil }

    /// The space of a disk.
    public struct Space: Sendable {
        /// Bytes that are left for this process, and all bytes.
        public var freeBytes, byteCount: Int

        /// A disk of these numbers of bytes.
        public init(freeBytes: Int, byteCount: Int) { (self.freeBytes, self.byteCount) = (freeBytes, byteCount) }
    }

    /// Appends all bytes to a file.
    func writeAll(_ descriptor: CInt, _ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = try write(descriptor, bytes, written..<bytes.count)
            // Zero bytes without an error would loop forever.
            guard count > 0 else { throw FileError(code: FileError.diskFull) }
            written += count
        }
    }

    /// Calls of these functions.
    public init(
        create: @escaping @Sendable (String) throws(FileError) -> CInt,
        open: @escaping @Sendable (String) throws(FileError) -> CInt,
        write: @escaping @Sendable (CInt, [UInt8], Range<Int>) throws(FileError) -> Int,
        read: @escaping @Sendable (CInt, Int, Int) throws(FileError) -> [UInt8],
        synchronize: @escaping @Sendable (CInt) throws(FileError) -> Void, close: @escaping @Sendable (CInt) -> Void,
        rename: @escaping @Sendable (String, String) throws(FileError) -> Void,
        link: @escaping @Sendable (String, String) throws(FileError) -> Void,
        remove: @escaping @Sendable (String) throws(FileError) -> Void,
        makeFolder: @escaping @Sendable (String) throws(FileError) -> Void,
        synchronizeFolder: @escaping @Sendable (String) throws(FileError) -> Void,
        names: @escaping @Sendable (String) throws(FileError) -> [String]
    ) {
        (self.create, self.open, self.write, self.read) = (create, open, write, read)
        (self.synchronize, self.close, self.rename, self.link) = (synchronize, close, rename, link)
        (self.remove, self.makeFolder, self.synchronizeFolder) = (remove, makeFolder, synchronizeFolder)
        self.names = names
    }
}
