/// The response to an operation of Pinpoint's API.
public struct AnalyticsAnswer: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// JSON.
    public let body: [UInt8]
}
