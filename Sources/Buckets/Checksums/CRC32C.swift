/// Castagnoli's CRC (RFC 3720 §12.1).
enum CRC32C {
    private static let tables = SlicingTables<UInt32>(polynomial: 0x82F6_3B78)

    /// Extends the CRC `value` by these bytes. The CRC of no bytes is 0.
    static func update(_ value: UInt32, _ bytes: [UInt8]) -> UInt32 { tables.update(value, bytes) }
}
