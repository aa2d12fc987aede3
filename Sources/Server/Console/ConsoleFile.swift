import HTTP
import Synchronization

/// A file of the console as it is sent.
final class ConsoleFile: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// Whether compression is worth a try: fonts are compressed already.
    let isCompressible: Bool
    /// The outer nil: not tried yet; the inner: not worth it.
    private let compressedBytes = Mutex<[UInt8]??>(nil)

    init(_ bytes: [UInt8], path: String) {
        self.bytes = path.hasSuffix(".js") ? ConsoleSource.withoutComments(bytes) : bytes
        let type = Self.types.first { path.hasSuffix($0.suffix) }
        contentType = type?.contentType ?? "application/octet-stream"
        isCompressible = type?.isCompressible ?? false
    }

    private static let types: [(suffix: String, contentType: String, isCompressible: Bool)] = [
        (".js", "text/javascript;charset=UTF-8", true), (".css", "text/css;charset=UTF-8", true),
        (".html", "text/html;charset=UTF-8", true), (".svg", "image/svg+xml", true),
        (".json", "application/json", true), (".woff2", "font/woff2", false),
    ]

    /// The result of an earlier `compressed()`; the outer nil if it was not called yet.
    var compressedIfKnown: [UInt8]?? { compressedBytes.withLock { $0 } }

    /// The compressed bytes, made at the first call and kept; nil if they would not be fewer. Not for an event loop.
    func compressed() -> [UInt8]? {
        if let known = compressedIfKnown { return known }
        let packed = isCompressible ? Gzip.compressed(bytes) : nil
        compressedBytes.withLock { $0 = .some(packed) }
        return packed
    }
}
