/// An exception of Pinpoint's API, or the error for an operator's invalid request: a name, a status and a message.
public struct AnalyticsError: Error, Sendable, Hashable {
    /// Pinpoint's name of the exception, such as `BadRequestException`.
    public let name: String
    /// The HTTP status.
    public let status: Int
    /// The message, a sentence.
    public let message: String

    /// Creates an exception.
    public init(_ name: String, _ status: Int, _ message: String) {
        (self.name, self.status, self.message) = (name, status, message)
    }

    static func badRequest(_ message: String) -> AnalyticsError { AnalyticsError("BadRequestException", 400, message) }

    /// Pinpoint's error for an unknown app, endpoint or user.
    static let notFound = AnalyticsError("NotFoundException", 404, "Resource not found")
    /// Pinpoint's error for a body of too many bytes.
    public static let payloadTooLarge = AnalyticsError(
        "PayloadTooLargeException", 413, "The request's body is larger than is accepted.")
}
