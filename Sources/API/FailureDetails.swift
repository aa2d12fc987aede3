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
    /// What the rules have decided, where execution began.
    private let decided: DecidedRequest?
    /// What was noted of a mutation for operators. Here, so that it takes no room in the reports of other requests.
    let notes: WorkNotes?

    init(
        _ source: Source, of request: GraphQLRequest? = nil, decided: DecidedRequest? = nil, notes: WorkNotes? = nil
    ) {
        self.source = source
        self.request = request
        self.decided = decided
        self.notes = notes
    }

    /// Why rules have refused what they refused.
    /// - Parameter includesRoots: Whether root fields without an error are explained too.
    func explanation(includesRoots: Bool) -> AuthorizationExplanation? {
        guard let decided else { return nil }
        guard case .fieldErrors(let errors) = source else { return decided.explanation(of: [], includesRoots: true) }
        return decided.explanation(of: errors, includesRoots: includesRoots)
    }

    /// The same with what the rules have decided.
    func deciding(_ decided: DecidedRequest) -> FailureDetails {
        FailureDetails(source, of: request, decided: self.decided ?? decided, notes: notes)
    }

    /// The same with what was noted of a mutation.
    func noting(_ notes: WorkNotes) -> FailureDetails {
        FailureDetails(source, of: request, decided: decided, notes: notes)
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
