import Synchronization

/// What the XML body of one request takes of `DocumentMemory`. It is returned when the request ends and the share is released.
final class DocumentShare: Sendable {
    private let memory: DocumentMemory
    private let owner: CapacityShares.Owner
    private let state = Mutex(State())

    private struct State {
        /// Bytes that are reserved.
        var byteCount = 0
        /// Of these, bytes that have arrived and are not read yet.
        var arrivedCount = 0
    }

    init(of memory: DocumentMemory, for owner: CapacityShares.Owner) { (self.memory, self.owner) = (memory, owner) }

    deinit {
        let byteCount = state.withLock(\.byteCount)
        if byteCount > 0 { memory.release(byteCount, for: owner) }
    }

    /// Reserves further bytes; throws SlowDown if they are more than is left.
    func reserve(_ count: Int) throws(S3Error) {
        try memory.reserve(count, for: owner)
        state.withLock { $0.byteCount += count }
    }

    /// Reserves bytes that have arrived and are kept until `collect` reads them.
    func reserveArrived(_ count: Int) throws(S3Error) {
        try reserve(count)
        state.withLock { $0.arrivedCount += count }
    }

    /// Reads a whole body, which takes memory as it arrives: a declared size alone takes none.
    ///
    /// - Parameter bytesMax: Bytes of the body.
    func collect(_ reader: PayloadReader, bytesMax: Int) async throws(S3Error) -> [UInt8] {
        guard reader.byteCount <= bytesMax else { throw .malformedXML }
        var bytes: [UInt8] = []
        while let part = try await reader.next() {
            // The body takes its bytes twice: once as it is, and once as the copy that is validated as UTF-8. Bytes that
            // `reserveArrived` has reserved for it count towards that.
            let taken = state.withLock { state in
                let taken = min(state.arrivedCount, 2 * part.count)
                state.arrivedCount -= taken
                return taken
            }
            try reserve(2 * part.count - taken)
            bytes += part
        }
        return bytes
    }

    /// Parses a body. The memory of its elements is taken before they are made.
    func parse(_ bytes: [UInt8], root: String) throws(S3Error) -> XMLElement {
        var tagCount = 0
        for byte in bytes where byte == UInt8(ascii: "<") { tagCount += 1 }
        try reserve(min(tagCount, XMLReader.elementsMax) * Self.elementBytes)
        return try XMLReader.read(bytes, root: root)
    }

    /// Bytes of an element in memory: two strings and an array, whose buffers grow by doubling.
    private static let elementBytes = 2 * MemoryLayout<XMLElement>.stride
}
