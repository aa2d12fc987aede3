import Crypto
import Encodings

/// Compares the bytes of a file, in pieces, with the ETag of an object: the MD5 of its bytes, or, of an object that was uploaded in N
/// parts, `MD5-N`, the MD5 of the MD5s of the parts.
///
/// The size of the parts is not stored, so each usual one that makes N parts is tried, all of them in one pass over the bytes.
struct ETagComparison {
    /// Bytes of a part that clients use: 5 MiB (Amplify, the AWS SDKs, rclone), 8 MiB (boto3, the AWS CLI), 50 MiB (s3fs), and
    /// others that users configure or that clients double for files with too many parts.
    private static let usualPartBytes = [5, 8, 10, 16, 20, 32, 50, 64].map { $0 << 20 }

    private let etag: String
    /// That of all bytes; nil if the object was uploaded in parts.
    private var whole: Insecure.MD5?
    private var candidates: [Parts] = []

    /// - Parameter byteCount: The bytes of the object, which are those of the file.
    init(etag: String, byteCount: Int) {
        self.etag = etag
        let words = etag.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2 else {
            whole = Insecure.MD5()
            return
        }
        guard let count = Int(words[1]), count > 0 else { return }
        // A single part may have any size.
        let sizes = count == 1 ? [max(byteCount, 1)] : Self.usualPartBytes
        candidates = sizes.filter { count == 1 || (byteCount + $0 - 1) / $0 == count }.map(Parts.init)
    }

    /// Whether bytes can be equal at all; false if the parts have an unusual size.
    var isPossible: Bool { whole != nil || !candidates.isEmpty }

    /// Takes the next bytes of the file.
    mutating func update(_ bytes: [UInt8]) {
        whole?.update(data: bytes)
        for index in candidates.indices { candidates[index].update(bytes) }
    }

    /// Whether the file has the object's bytes, as far as the ETag says.
    func isEqual() -> Bool {
        if let whole { return Hexadecimal.text(of: Array(whole.finalize())) == etag }
        return candidates.contains { $0.etag == etag }
    }

    /// The hash of the hashes of parts of one size.
    private struct Parts {
        let byteCount: Int
        /// That of the hashes of whole parts.
        private var hashes = Insecure.MD5()
        private var count = 0
        /// That of the part that is not whole yet.
        private var part = Insecure.MD5()
        private var partCount = 0

        init(byteCount: Int) { self.byteCount = byteCount }

        mutating func update(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(byteCount - partCount)
                rest = rest.dropFirst(piece.count)
                part.update(data: piece)
                partCount += piece.count
                if partCount == byteCount { endPart() }
            }
        }

        private mutating func endPart() {
            hashes.update(data: Array(part.finalize()))
            (part, partCount) = (Insecure.MD5(), 0)
            count += 1
        }

        var etag: String {
            var parts = self
            if parts.partCount > 0 || parts.count == 0 { parts.endPart() }
            return "\(Hexadecimal.text(of: Array(parts.hashes.finalize())))-\(parts.count)"
        }
    }
}
