// Names are short and of every length. Byte by byte, what hashing or comparing them costs is mostly the question whether
// there is another byte; here they are read as words of eight.

/// The first and the last eight bytes of a name, which overlap where it is shorter than sixteen. With its length they are
/// the whole name where it is not longer.
struct NameEnds: Equatable, BitwiseCopyable {
    let first: UInt64
    let last: UInt64

    /// Up to so many bytes there is nothing between the ends.
    static let bytesMax = 16
}
