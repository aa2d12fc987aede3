/// Compresses bytes that are kept and sent many times.
public enum Gzip {
    /// The bytes as gzip of the highest level; nil if that is not smaller. It takes milliseconds for each 100 KB, so it is
    /// not for an event loop.
    public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        unsafe bytes.withUnsafeBytes { unsafe Deflater(level: 9).gzip($0) }
    }
}
