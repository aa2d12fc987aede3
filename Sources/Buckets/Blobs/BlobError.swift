#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Why bytes could not be stored or read.
public enum BlobError: Error, Sendable, Hashable {
    /// There is no such blob.
    case missing
    /// The disk or the quota is full.
    case diskFull
    /// The process has no file descriptors left; a retry may succeed.
    case busy
    /// Another error of the system; `errno`.
    case system(CInt)

    init(_ error: FileError) {
        switch error.code {
        case ENOENT: self = .missing
        case ENOSPC, EDQUOT, EFBIG: self = .diskFull
        case EMFILE, ENFILE: self = .busy
        default: self = .system(error.code)
        }
    }
}
