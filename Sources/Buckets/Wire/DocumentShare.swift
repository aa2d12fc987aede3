import Synchronization

/// What the XML body of one request takes of `DocumentMemory`. It is returned when the request ends and the share is released.
final class DocumentShare: Sendable {
    private let memory: DocumentMemory
    private let network: String
    private let byteCount = Mutex(0)

    init(of memory: DocumentMemory, network: String) { (self.memory, self.network) = (memory, network) }

    deinit {
        let byteCount = byteCount.withLock { $0 }
        if byteCount > 0 { memory.giveBack(byteCount, for: network) }
    }

    /// Takes further bytes; throws SlowDown if they are more than is left.
    func take(_ count: Int) throws(S3Error) {
        try memory.take(count, for: network)
        byteCount.withLock { $0 += count }
    }

    /// Reads a whole body, which takes memory as it arrives: a declared size alone takes none.
    ///
    /// - Parameter bytesMax: Bytes of the body.
    func collect(_ reader: PayloadReader, bytesMax: Int) async throws(S3Error) -> [UInt8] {
        guard reader.byteCount <= bytesMax else { throw .malformedXML }
        var bytes: [UInt8] = []
        while let part = try await reader.next() {
            // The body, and the copy that is tested for UTF-8.
            try take(2 * part.count)
            bytes += part
        }
        return bytes
    }

    /// Parses a body. The memory of its elements is taken before they are made.
    func parse(_ bytes: [UInt8], root: String) throws(S3Error) -> XMLElement {
        var tagCount = 0
        for byte in bytes where byte == UInt8(ascii: "<") { tagCount += 1 }
        try take(min(tagCount, XMLReader.elementsMax) * Self.elementBytes)
        return try XMLReader.read(bytes, root: root)
    }

    /// Bytes of an element in memory: two strings and an array, whose buffers grow by doubling.
    private static let elementBytes = 2 * MemoryLayout<XMLElement>.stride
}
