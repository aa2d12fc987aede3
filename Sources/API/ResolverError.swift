import GraphQL
import JSON

/// A refusal by a resolver, before it is known at which field. All texts in one place
/// (reference: transformer, "Error types").
struct ResolverError: Error, Sendable {
    /// AppSync's `errorType`; nil is what `$util.error` without a type gives.
    var errorType: String?
    var message: String
    /// What the resolver shows of the stored item in spite of the error.
    var data: JSONValue?
    /// Whether rules are the reason though the error says something else: those of version 1 are a part of the condition.
    var isOfRules = false
    /// What rules have denied; nil of every other error.
    var denial: Denial?

    /// What an error `Unauthorized` denies.
    enum Denial: Sendable {
        case field(FieldCoordinate)
        /// Fields of a mutation's input.
        case inputFields([String])
    }

    static let invalidToken = ResolverError(errorType: "BadRequest", message: "Invalid pagination token given.")

    static let resolverLimit = ResolverError(
        errorType: "ResolverExecutionLimitReached", message: "Resolver invocation limit exceeded.")

    static func invalidArguments(_ message: String) -> ResolverError {
        ResolverError(errorType: "InvalidArgumentsError", message: message)
    }

    /// The condition was false, or the item missing, or already there: DynamoDB does not say which.
    static func conditionalCheckFailed() -> ResolverError {
        dynamoDB("ConditionalCheckFailedException", "The conditional request failed")
    }

    /// The same of a model with versions, whose clients compare the whole type
    /// (reference: datastore-sync, "Error objects of conflicts").
    static func versionedConditionFailed() -> ResolverError {
        ResolverError(
            errorType: "ConditionalCheckFailedException",
            message: "The conditional request failed (Service: DynamoDb, Status Code: 400, Request ID: \(requestID()))")
    }

    /// The execution took longer than it may, after something was committed.
    static let executionTimeout = ResolverError(errorType: "ExecutionTimeout", message: "Execution timed out.")

    /// The store failed after something was committed. The log has the cause.
    static let internalFailure = ResolverError(
        errorType: "InternalFailure", message: "The store could not serve the request.")

    /// The caller knew another version of the item than the stored one, and nothing was stored.
    static let conflictUnhandled = ResolverError(
        errorType: "ConflictUnhandled", message: "Conflict resolver rejects mutation.")

    /// The function that decides conflicts gave no answer.
    static let conflictError = ResolverError(errorType: "ConflictError", message: "The conflict handler failed.")

    /// It answered what it may not.
    static let invalidConflictDecision = ResolverError(
        errorType: "ConflictError", message: "The conflict handler's answer is no decision about this mutation.")

    /// The item changed each time while the function was deciding.
    static func maxConflicts(_ countMax: Int) -> ResolverError {
        ResolverError(errorType: "MaxConflicts", message: "The item changed during each of \(countMax) attempts.")
    }

    /// What version 2 of Amplify's resolvers answer where no expression can be made of a filter
    /// (`$util.transform.toDynamoDBFilterExpression` gives null).
    static let unrecognizedFilter = ResolverError(
        errorType: "Unrecognized Filter", message: "Unable to process the filter expression")

    static func operandTooLong(_ byteCount: Int, max: Int) -> ResolverError {
        ResolverError(
            errorType: "BadRequest",
            message: "An operand of a filter or condition may have at most \(max) bytes "
                + "(limits.filterOperandBytesMax), and one has \(byteCount).")
    }

    static func validation(_ message: String) -> ResolverError {
        dynamoDB("DynamoDbException", message)
    }

    private static func dynamoDB(_ exception: String, _ message: String) -> ResolverError {
        let details = "Service: DynamoDb, Status Code: 400, Request ID: \(requestID()), Extended Request ID: null"
        return ResolverError(errorType: "DynamoDB:\(exception)", message: "\(message) (\(details))")
    }

    /// 52 characters of A–Z and 0–9, as DynamoDB gives each request.
    private static func requestID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        return String(decoding: (0..<52).map { _ in alphabet[Int.random(in: alphabet.indices)] }, as: UTF8.self)
    }
}
