/// An exception of Pinpoint's interface, or what is wrong with a question of an operator's: a name, a status and a sentence.
public struct AnalyticsError: Error, Sendable, Hashable {
    /// Pinpoint's name for it, such as `BadRequestException`.
    public let name: String
    /// The status of the answer.
    public let status: Int
    /// What is wrong, as a sentence.
    public let message: String

    /// Makes an exception of its parts.
    public init(_ name: String, _ status: Int, _ message: String) {
        (self.name, self.status, self.message) = (name, status, message)
    }

    static func badRequest(_ message: String) -> AnalyticsError { AnalyticsError("BadRequestException", 400, message) }

    /// Pinpoint's words for an app, an endpoint or a user that there is not.
    static let notFound = AnalyticsError("NotFoundException", 404, "Resource not found")
    static let payloadTooLarge = AnalyticsError(
        "PayloadTooLargeException", 413, "The request's body is larger than is accepted.")
}
