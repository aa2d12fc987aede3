import JSON

/// The bytes that stand around the payload of each event of one operation.
public struct RealtimeFrame: Sendable, Hashable {
    /// What comes before the payload.
    public let prefix: [UInt8]
    /// What follows it.
    public let suffix: [UInt8]

    init(id: String, dialect: RealtimeDialect) {
        prefix = RealtimeFrames.message(id: id, type: dialect == .transport ? "next" : "data") {
            $0.append(",\"payload\":")
        }
        suffix = [UInt8(ascii: "}")]
    }

    /// The message with this payload, in one piece.
    func message(_ payload: UnsafeRawBufferPointer) -> [UInt8] { unsafe prefix + payload + suffix }
}
