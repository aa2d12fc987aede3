/// The algorithms of additional checksums (Amazon S3 User Guide, "Checking object integrity in Amazon S3").
public enum ChecksumAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The CRC of zlib and Ethernet.
    case crc32 = "CRC32"
    /// Castagnoli's.
    case crc32c = "CRC32C"
    /// The 64-bit CRC of NVM Express.
    case crc64nvme = "CRC64NVME"
    /// SHA-1.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"

    /// The algorithm that a request names.
    static func named(_ name: String) throws(S3Error) -> ChecksumAlgorithm {
        guard let algorithm = ChecksumAlgorithm(rawValue: name) else {
            throw .invalidRequest("Checksum algorithm provided is unsupported.")
        }
        return algorithm
    }

    /// The header or trailer that has the value: `x-amz-checksum-crc32`.
    public var header: String { "x-amz-checksum-\(rawValue.asciiLowercased)" }

    /// The element that has the value: `ChecksumCRC32`.
    var element: String { "Checksum\(rawValue)" }

    /// Bytes of a value.
    var byteCount: Int {
        switch self {
        case .crc32, .crc32c: 4
        case .crc64nvme: 8
        case .sha1: 20
        case .sha256: 32
        }
    }

    /// The default type for multipart uploads: CRC64NVME covers the whole object, the others the checksums of the
    /// parts.
    var defaultType: ChecksumType { self == .crc64nvme ? .fullObject : .composite }

    /// Whether multipart objects may have a checksum of this type. The SHA algorithms support only composite checksums,
    /// CRC64NVME only full-object ones.
    func allows(_ type: ChecksumType) -> Bool {
        switch self {
        case .crc32, .crc32c: true
        case .crc64nvme: type == .fullObject
        case .sha1, .sha256: type == .composite
        }
    }
}
