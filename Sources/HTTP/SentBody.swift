import NIOCore

/// The body of an answer that is sent in parts, and how far that has come.
struct SentBody {
    /// What is to be sent next.
    enum Next {
        case bytes(ByteBuffer)
        /// A range that the system sends from the file.
        case file(FileRegion, ReadableFile)
        /// The stream is asked for its next part, which `receive` takes.
        case ask(ResponseStream)
        case end
        /// The rest cannot be sent.
        case failed
    }

    /// Bytes of a file that are sent before other connections have their turn.
    private static let filePieceBytesMax = 1024 * 1024

    private enum Source {
        case file(ReadableFile, rest: Range<Int>)
        case stream(ResponseStream)
        /// All is in `part`.
        case bytes
    }

    private var source: Source
    /// Where the range ends that the system was asked to send last.
    private var sentEnd = 0
    /// Whether the parts are framed as chunks. RFC 9112 §7.1.
    private let isChunked: Bool
    /// Bytes that the stream still has to come up with; nil where it need not say.
    private var rest: Int?
    /// What is left of the stream's last part.
    private var part = ByteBuffer()
    private(set) var awaitsPart = false
    private var hasEnded = false
    private var hasFailed = false

    /// - Parameter isHTTP10: Whether the client knows no chunks.
    init(_ body: ResponseBody, isHTTP10: Bool) {
        isChunked = body.byteCount == nil && !isHTTP10
        rest = body.byteCount
        switch body {
        case .file(let file, let range): source = .file(file, rest: range)
        case .stream(let stream): source = .stream(stream)
        case .bytes(let bytes):
            source = .bytes
            part = ByteBuffer(bytes: bytes)
        }
    }

    /// - Parameter readsFile: Whether a file is read into memory, because its bytes are to be encrypted.
    mutating func next(readsFile: Bool) -> Next {
        if hasFailed { return .failed }
        let count = min(part.readableBytes, QueuedBytes.pieceBytesMax)
        if count > 0, let piece = part.readSlice(length: count) { return .bytes(piece) }
        switch source {
        case .bytes: return .end
        case .file(_, let rest) where rest.isEmpty: return .end
        case .file(let file, _) where file.isRevoked: return .failed
        case .file(let file, let rest):
            let count = min(rest.count, readsFile ? QueuedBytes.pieceBytesMax : Self.filePieceBytesMax)
            source = .file(file, rest: rest.dropFirst(count))
            if readsFile {
                let bytes = file.read(at: rest.lowerBound, count: count)
                return bytes.readableBytes == count ? .bytes(bytes) : .failed
            }
            // A file that ends within the range would never be sent to its end.
            guard file.byteCount >= rest.lowerBound + count else { return .failed }
            let end = rest.lowerBound + count
            sentEnd = end
            return .file(FileRegion(fileHandle: file.handle, readerIndex: rest.lowerBound, endIndex: end), file)
        case .stream(let stream):
            if hasEnded { return .end }
            awaitsPart = true
            return .ask(stream)
        }
    }

    /// Whether the file is not to be sent any further, or has become shorter than what the system was asked to send of it: it would
    /// try without end.
    var isCutOff: Bool {
        guard case .file(let file, _) = source else { return false }
        return file.isRevoked || file.byteCount < sentEnd
    }

    /// Takes the part that the stream was asked for.
    mutating func receive(_ received: ResponseStream.Part) {
        awaitsPart = false
        switch received {
        case .bytes(let bytes):
            if let rest {
                hasFailed = bytes.count > rest
                self.rest = rest - bytes.count
            }
            guard !bytes.isEmpty else { return }
            if isChunked { part.writeString(String(bytes.count, radix: 16) + "\r\n") }
            part.writeBytes(bytes)
            if isChunked { part.writeStaticString("\r\n") }
        case .end:
            hasEnded = true
            hasFailed = rest ?? 0 > 0
            if isChunked { part.writeStaticString("0\r\n\r\n") }
        case .failed: hasFailed = true
        }
    }
}
