/// What the checksum of an object covers.
public enum ChecksumType: String, Sendable, Hashable {
    /// Its bytes.
    case fullObject = "FULL_OBJECT"
    /// The concatenated checksums of its parts.
    case composite = "COMPOSITE"
}
