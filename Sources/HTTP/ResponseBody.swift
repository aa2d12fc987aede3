/// The body of an answer.
public enum ResponseBody: Sendable {
    /// All of it. It leaves compressed where that is worth it and the client takes it.
    case bytes([UInt8])
    /// A range of a file, in bytes. By TLS it is read in pieces on the event loop; in clear text the system sends it
    /// (sendfile). A file that has become shorter than the range ends the connection before the answer is whole.
    case file(ReadableFile, range: Range<Int>)
    /// Parts, as they come.
    case stream(ResponseStream)

    /// The bytes of the whole body, as far as they are known before it is sent.
    var byteCount: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        case .stream(let stream): stream.byteCount
        }
    }
}
