/// Compresses bytes that are kept and sent many times.
public enum Gzip {
    /// The bytes as gzip has them at its best; nil where they would not be fewer. It takes milliseconds for each 100 KB, so it is
    /// not for an event loop.
    public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        unsafe bytes.withUnsafeBytes { unsafe Deflater(level: 9).gzip($0) }
    }
}
