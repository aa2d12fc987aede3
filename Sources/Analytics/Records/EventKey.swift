/// The key of an event among those of its endpoint: a hash of its id, or, if other events have that number, one of the next numbers. An
/// index of numbers takes a third of the space of one of ids.
enum EventKey {
    /// FNV-1a of 64 bits, by Fowler, Noll and Vo.
    ///
    /// Memory safety: the bytes of the text are borrowed for the closure, and read within their count.
    static func first(of id: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // The bytes at once: the iterator of a text takes some instructions for each.
        var id = id
        id.withUTF8 { bytes in
            for index in 0..<bytes.count { hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        }
        return Int64(bitPattern: hash)
    }

    /// Maximum number of tried numbers. The hashes of random ids do not collide in practice; a client may choose ids whose hashes do.
    static let triesMax = 4
}
