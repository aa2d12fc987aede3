/// What the checksum of an object covers.
public enum ChecksumType: String, Sendable, Hashable {
    /// Its bytes.
    case fullObject = "FULL_OBJECT"
    /// The concatenated checksums of its parts.
    case composite = "COMPOSITE"

    /// The type that a request names.
    static func named(_ name: String) throws(S3Error) -> ChecksumType {
        guard let type = ChecksumType(rawValue: name) else {
            throw .invalidRequest("Value for x-amz-checksum-type header is invalid.")
        }
        return type
    }
}
