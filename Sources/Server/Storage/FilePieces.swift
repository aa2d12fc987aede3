import NIOCore

/// The bytes of a file as the body of a request: as many as the file had when it was opened.
struct FilePieces: AsyncSequence, Sendable {
    /// The file cannot be read to its end, so its object must not be stored.
    struct Failure: Error {
        /// The path.
        let path: String
        /// The system's words.
        let reason: String
    }

    let file: LocalFile
    /// For messages.
    let path: String
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
        func next() throws(Failure) -> ByteBuffer? {
            let rest = pieces.file.byteCount - byteCount
            guard rest > 0 else { return nil }
            let bytes: [UInt8]
            do throws(Files.Failure) { bytes = try pieces.file.read(Swift.min(rest, FilesClient.pieceBytes)) } catch {
                throw Failure(path: pieces.path, reason: error.reason)
            }
            guard !bytes.isEmpty else {
                throw Failure(path: pieces.path, reason: "It has become shorter while it was read")
            }
            byteCount += bytes.count
            pieces.sent(byteCount)
            return ByteBuffer(bytes: bytes)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
