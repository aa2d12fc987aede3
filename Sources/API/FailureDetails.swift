import GraphQL

/// The errors of an answer and the request they refuse, of which an `AnswerReport` makes its sentences when the answer
/// is logged.
final class FailureDetails: Sendable {
    enum Source: Sendable {
        case errors([GraphQLError])
        case fieldErrors([FieldError])
        case text(String)
    }

    private let source: Source
    /// The request, where none of its operations could be planned.
    let request: GraphQLRequest?

    init(_ source: Source, of request: GraphQLRequest? = nil) {
        self.source = source
        self.request = request
    }

    /// The first error, and how many there are besides.
    var cause: String? {
        switch source {
        case .errors(let errors): Self.cause(errors.first, of: errors.count)
        case .fieldErrors(let errors): Self.cause(errors.first?.graphQLError, of: errors.count)
        case .text(let text): text
        }
    }

    var operationName: String? { request.flatMap(OperationNames.name(in:)) }

    var hint: AnswerHint? {
        guard request != nil, case .errors(let errors) = source else { return nil }
        return AnswerHint(errors)
    }

    private static func cause(_ first: GraphQLError?, of count: Int) -> String? {
        first.map { $0.cause + (count > 1 ? " (and \(count - 1) more)" : "") }
    }
}
