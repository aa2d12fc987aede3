#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A call of the system that failed.
public struct FileError: Error, Sendable, Hashable {
    /// `errno`.
    public let code: CInt

    /// An error of its number.
    public init(code: CInt) { self.code = code }

    /// No space is left.
    static let diskFull = ENOSPC
}
