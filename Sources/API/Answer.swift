import GraphQL
import JSON
import Tables

/// What kind of answer the bytes are, for the layer that speaks HTTP.
public struct AnswerKind: Sendable, Hashable {
    /// The HTTP status: 200 whenever GraphQL was reached.
    public var status: Int
    /// For `x-amzn-ErrorType`; nil with 200.
    public var errorType: String?

    static let executed = AnswerKind(status: 200)
}

/// Answers that no execution wrote.
struct Answer {
    typealias Reply = @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void

    private var kind: AnswerKind
    private var hasData: Bool
    private var list: [GraphQLError]

    /// The document was refused: 200 with `data: null` (appsync-protocol §2.1 A).
    static func errors(_ errors: [GraphQLError]) -> Answer { Answer(kind: .executed, hasData: true, list: errors) }

    /// The request never reached GraphQL: only `errors` (appsync-protocol §1.5).
    static func refusal(_ kind: AnswerKind, _ error: GraphQLError) -> Answer {
        Answer(kind: kind, hasData: false, list: [error])
    }

    /// The store could not serve: what clients may retry is a 5xx, what they asked too much of is an error in a 200.
    static func storeError(_ error: StoreError) -> Answer {
        switch error.code {
        case .timedOut, .movedOff, .cancelled: return .errors([.timeout])
        case .invalidRequest: return .errors([GraphQLError(error.message, errorType: "BadRequest")])
        case .busy, .closed:
            return .refusal(
                AnswerKind(status: 503, errorType: "ServiceUnavailableException"),
                GraphQLError("The service is busy. Try again.", errorType: "ServiceUnavailableException"))
        default:
            return .refusal(
                AnswerKind(status: 500, errorType: "InternalFailure"),
                GraphQLError("The store could not serve the request.", errorType: "InternalFailure"))
        }
    }

    func send(to reply: Reply) {
        var writer = JSONWriter(capacity: 512)
        if hasData {
            writer.append("{\"data\":null,\"errors\":[")
            for (index, error) in list.enumerated() {
                if index > 0 { writer.append(UInt8(ascii: ",")) }
                error.write(into: &writer)
            }
        } else {
            writer.append("{\"errors\":[")
            for (index, error) in list.enumerated() {
                if index > 0 { writer.append(UInt8(ascii: ",")) }
                writer.append("{\"errorType\":")
                writer.writeString(error.errorType ?? "InternalFailure")
                writer.append(",\"message\":")
                writer.writeString(error.message)
                writer.append(UInt8(ascii: "}"))
            }
        }
        writer.append("]}")
        writer.withBytes { reply(kind, $0) }
    }
}
