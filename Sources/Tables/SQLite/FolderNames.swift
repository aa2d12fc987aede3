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
    ///
    /// Memory safety: an entry is read before the next call of `readdir`, and its name ends with a NUL inside its array.
    package static func read(_ path: String) throws(Failure) -> [String] {
        guard let folder = unsafe opendir(path) else { throw Failure(code: errno) }
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
