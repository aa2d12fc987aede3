#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The names of what is in a folder, for the store and for the layers above it.
package enum FolderNames {
    /// The folder cannot be opened.
    package struct Failure: Error {
        /// The number of the error, as `errno` has it.
        package let code: CInt
    }

    /// The names in the folder at a path, in no order, without `.` and `..`.
    package static func read(_ path: String) throws(Failure) -> [String] {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure(code: errno) }
        return try read(closing: folder)
    }

    /// The names in an open folder, which stays open.
    package static func read(folder: CInt) throws(Failure) -> [String] {
        // A descriptor of its own, which begins at the first name: a duplicate would share the place with the original.
        let folder = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure(code: errno) }
        return try read(closing: folder)
    }

    /// Memory safety: an entry is read before the next call of `readdir`, and its name ends with a NUL inside its array.
    private static func read(closing descriptor: CInt) throws(Failure) -> [String] {
        guard let folder = unsafe fdopendir(descriptor) else {
            let failure = Failure(code: errno)
            close(descriptor)
            throw failure
        }
        // This closes the descriptor, too (POSIX, fdopendir).
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
