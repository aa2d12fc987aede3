/// Of what the checksum of an object is.
public enum ChecksumType: String, Sendable, Hashable {
    /// Of its bytes.
    case fullObject = "FULL_OBJECT"
    /// Of the checksums of its parts, one after the other.
    case composite = "COMPOSITE"
}
