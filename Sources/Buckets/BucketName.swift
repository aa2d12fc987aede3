/// Names of buckets.
public enum BucketName {
    /// Whether a bucket may have a name: 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending
    /// with a letter or digit, without two adjacent dots, and not in the form of an IP address (Amazon S3 User Guide,
    /// "General purpose bucket naming rules").
    public static func isValid(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        func isAlphanumeric(_ byte: UInt8?) -> Bool {
            guard let byte else { return false }
            return 0x61...0x7A ~= byte || 0x30...0x39 ~= byte
        }
        guard 3...63 ~= bytes.count, isAlphanumeric(bytes.first), isAlphanumeric(bytes.last), !name.contains(".."),
            bytes.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return false }
        let parts = name.split(separator: ".")
        return !(parts.count == 4 && parts.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } })
    }
}
