import GraphQL
import JSON
import Tables

/// Answers that no execution wrote.
struct Answer {
    typealias Reply = @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void

    private enum Form {
        case withData, withoutData, thin
    }

    private var kind: AnswerKind
    private var form: Form
    private var list: [GraphQLError]

    /// Nothing came of the request: 200 with `data: null` (reference: appsync-protocol, "Error objects").
    static func errors(_ errors: [GraphQLError]) -> Answer {
        var kind = AnswerKind(status: 200)
        kind.errorTypes = errors.map { $0.errorType ?? "request" }
        kind.report = AnswerReport(errors)
        return Answer(kind: kind, form: .withData, list: errors)
    }

    /// The document, the operation's name or a variable was refused before execution began.
    static func requestErrors(_ errors: [GraphQLError], _ options: AnswerOptions) -> Answer {
        var answer = self.errors(errors)
        guard options.refusesRequestErrors else { return answer }
        (answer.kind.status, answer.kind.errorType) = (400, "BadRequestException")
        answer.form = .withoutData
        return answer
    }

    /// The request never reached GraphQL: only `errors`, of type and message
    /// (reference: appsync-protocol, "Status codes and error bodies").
    static func refusal(_ kind: AnswerKind, _ error: GraphQLError) -> Answer {
        var kind = kind
        kind.report = AnswerReport([error])
        return Answer(kind: kind, form: .thin, list: [error])
    }

    /// GraphQL over HTTP, "GET": a mutation does not run.
    static let mutationRefused = refusal(
        AnswerKind(status: 405, errorType: "MalformedHttpRequestException"),
        GraphQLError("A mutation is sent by POST.", errorType: "MalformedHttpRequestException"))

    /// The store could not serve: what clients may retry is a 5xx, what they asked too much of is an error in a 200.
    static func storeError(_ error: StoreError) -> Answer {
        var answer = storeErrorWithoutCause(error)
        answer.kind.report.cause = error.description
        return answer
    }

    private static func storeErrorWithoutCause(_ error: StoreError) -> Answer {
        switch error.code {
        case .timedOut, .repeatOnWorker, .cancelled: return .errors([.timeout])
        case .invalidRequest: return .errors([GraphQLError(error.message, errorType: "BadRequest")])
        case .busy, .closed:
            return .refusal(
                AnswerKind(status: 503, errorType: "ServiceUnavailableException"),
                GraphQLError("The service is busy. Try again.", errorType: "ServiceUnavailableException"))
        case .superseded:
            return .refusal(
                AnswerKind(status: 503, errorType: "ServiceUnavailableException"),
                GraphQLError("The schema is being changed. Try again.", errorType: "ServiceUnavailableException"))
        case .lost:
            return .refusal(
                AnswerKind(status: 500, errorType: "InternalFailure"),
                GraphQLError(
                    "The server's data folder was changed by another program. Nothing was written.",
                    errorType: "InternalFailure"))
        default:
            return .refusal(
                AnswerKind(status: 500, errorType: "InternalFailure"),
                GraphQLError("The store could not serve the request.", errorType: "InternalFailure"))
        }
    }

    /// The same answer with the operation in its report, for logs and counters.
    func of(_ operation: OperationRecord?, _ work: AnswerWork = AnswerWork()) -> Answer {
        var answer = self
        answer.kind.report.operation = operation
        answer.kind.report.work = work
        return answer
    }

    /// The same answer to a request that could not be executed, with what may be done about it.
    func of(_ request: GraphQLRequest) -> Answer {
        var answer = self
        answer.kind.report = AnswerReport(list, of: request)
        return answer
    }

    /// The same answer with what the rules have decided of the request.
    func decided(_ decided: DecidedRequest) -> Answer {
        var answer = self
        answer.kind.report.note(decided)
        return answer
    }

    func send(to reply: Reply) {
        var writer = JSONWriter(capacity: 512)
        writer.append(form == .withData ? "{\"data\":null,\"errors\":[" : "{\"errors\":[")
        for (index, error) in list.enumerated() {
            if index > 0 { writer.append(UInt8(ascii: ",")) }
            guard form == .thin else {
                error.write(into: &writer)
                continue
            }
            writer.append("{\"errorType\":")
            writer.writeString(error.errorType ?? "InternalFailure")
            writer.append(",\"message\":")
            writer.writeString(error.message)
            writer.append(UInt8(ascii: "}"))
        }
        writer.append("]}")
        unsafe writer.withBytes { unsafe reply(kind, $0) }
    }
}
