/// The answer to an operation of Pinpoint's interface.
public struct AnalyticsAnswer: Sendable, Hashable {
    /// As of HTTP.
    public let status: Int
    /// JSON.
    public let body: [UInt8]
}
