/// The number by which an event is found among those of its endpoint: a hash of its id, or one of the numbers after it, where other
/// events have that one. An index of numbers is a third of one of ids.
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

    /// Numbers that are tried. Of random ids no two are ever alike; a client may make some that are.
    static let triesMax = 4
}
