/// A body that is no GraphQL request; HTTP 400 (reference: appsync-protocol, "Status codes and error bodies").
public struct EnvelopeError: Error, Sendable, Hashable {
    /// AppSync's word for it, also for `x-amzn-ErrorType`.
    public var errorType: String
    /// What the caller reads.
    public var message: String
    /// What kind of body it is.
    public var kind: Kind

    /// What a body is that is no GraphQL request; the caller reads the same of the first two.
    public enum Kind: Sendable, Hashable {
        /// Anything else.
        case malformed
        /// An array, as of clients that send several requests at once.
        case batch
        /// A query's hash without the query. Apollo's clients send both after the answer that it is not supported.
        case persistedQuery
    }

    static let emptyBody = malformed("Request body is empty.")
    static let unreadable = malformed("Unable to parse GraphQL query.")
    static let batch = EnvelopeError(
        errorType: unreadable.errorType, message: unreadable.message, kind: .batch)
    static let persistedQueryNotSupported = EnvelopeError(
        errorType: "PersistedQueryNotSupported", message: "PersistedQueryNotSupported", kind: .persistedQuery)

    private static func malformed(_ message: String) -> EnvelopeError {
        EnvelopeError(errorType: "MalformedHttpRequestException", message: message, kind: .malformed)
    }
}
