/// The CRC of NVM Express (NVM Express NVM Command Set Specification, "64b CRC").
enum CRC64NVME {
    private static let tables = SlicingTables<UInt64>(polynomial: 0x9A6C_9329_AC4B_C9B5)

    /// Extends the CRC `value` by these bytes. The CRC of no bytes is 0.
    static func update(_ value: UInt64, _ bytes: [UInt8]) -> UInt64 { tables.update(value, bytes) }
}
