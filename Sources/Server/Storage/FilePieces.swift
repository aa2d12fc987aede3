import NIOCore

/// The bytes of a file as the body of a request.
struct FilePieces: AsyncSequence, Sendable {
    let file: LocalFile
    /// Receives the number of bytes read so far.
    let sent: @Sendable (Int) -> Void

    /// Reads the next bytes.
    ///
    /// Unchecked Sendable. Proof: a file has one iterator, and the one task that sends the body calls `next`.
    final class AsyncIterator: AsyncIteratorProtocol, @unchecked Sendable {
        private let pieces: FilePieces
        private var byteCount = 0

        init(_ pieces: FilePieces) { self.pieces = pieces }

        /// The next bytes; nil at the end.
        func next() throws -> ByteBuffer? {
            let bytes = try pieces.file.read(FilesClient.pieceBytes)
            byteCount += bytes.count
            pieces.sent(byteCount)
            return bytes.isEmpty ? nil : ByteBuffer(bytes: bytes)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
