import Encodings

/// The additional checksum of an object or a part.
public struct ObjectChecksum: Sendable, Hashable {
    /// The algorithm.
    public var algorithm: ChecksumAlgorithm
    /// The big-endian digest.
    public var bytes: [UInt8]
    /// What it covers.
    public var type = ChecksumType.fullObject
    /// The number of parts of a composite checksum.
    public var partCount = 0

    /// The value in headers and elements: base64, and for a composite checksum `-` and the number of parts.
    public var text: String {
        Base64.encode(bytes) + (type == .composite ? "-\(partCount)" : "")
    }

    init(_ algorithm: ChecksumAlgorithm, _ bytes: [UInt8], type: ChecksumType = .fullObject, partCount: Int = 0) {
        (self.algorithm, self.bytes, self.type, self.partCount) = (algorithm, bytes, type, partCount)
    }

    /// Parses the value of a header or trailer; nil if it is not base64 of the algorithm's number of bytes.
    init?(_ algorithm: ChecksumAlgorithm, text: String) {
        guard let bytes = Base64.decode(text.utf8), bytes.count == algorithm.byteCount, Base64.encode(bytes) == text
        else { return nil }
        self.init(algorithm, bytes)
    }

    /// The checksum of the checksums of parts, in their order.
    init(compositeOf parts: [ObjectChecksum], _ algorithm: ChecksumAlgorithm) {
        var digest = ChecksumDigest(algorithm)
        for part in parts { digest.update(part.bytes) }
        self.init(algorithm, digest.value, type: .composite, partCount: parts.count)
    }
}
