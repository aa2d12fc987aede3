import GraphQL

/// What an answer says to logs and counters and not to the caller. It never holds a value that a caller sent or an item
/// has: only names of operations, types and fields, and the messages without the values they quote.
public struct AnswerReport: Sendable {
    /// The operation that was planned; nil when none could be.
    public var operation: OperationRecord?
    /// What the answer has cost the store's readers.
    public var work = AnswerWork()
    /// Whether the plan was made for an earlier request; nil unless the options ask for it, and if nothing was executed.
    public private(set) var isPlanCached: Bool?
    /// What `operationName`, `cause` and `hint` are computed from when they are read: most answers have no line in a log.
    private var failure: FailureDetails?

    /// What the document calls its operation, where none could be planned.
    public var operationName: String? { failure?.operationName }

    /// Why there are errors, as a sentence; nil without errors.
    public internal(set) var cause: String? {
        get { failure?.cause }
        set { failure = newValue.map { FailureDetails(.text($0), of: failure?.request) } }
    }

    /// What the developer may do about it.
    public var hint: AnswerHint? { failure?.hint }

    init() {}

    /// What an answer that no execution wrote has to say.
    /// - Parameter request: The request, where none of its operations could be planned.
    init(_ errors: [GraphQLError], of request: GraphQLRequest? = nil) {
        if !errors.isEmpty { failure = FailureDetails(.errors(errors), of: request) }
    }

    /// What an answer has to say that execution wrote.
    init(
        _ errors: [FieldError], of operation: OperationRecord?, _ work: AnswerWork, isPlanCached: Bool? = nil,
        decided: () -> DecidedRequest
    ) {
        self.operation = operation
        self.work = work
        self.isPlanCached = isPlanCached
        if !errors.isEmpty { failure = FailureDetails(.fieldErrors(errors), decided: decided()) }
    }

    /// Why rules have refused parts of the request, for a line of the log; nil where they have refused none. It is computed
    /// when it is read.
    public var refusal: String? {
        guard let text = failure?.explanation(includesRoots: false)?.text, !text.isEmpty else { return nil }
        return text
    }

    /// What the rules have decided of the request's root fields and of what they have refused; nil where the request was
    /// not executed. Successful requests have it if their options ask for it.
    public var explanation: AuthorizationExplanation? { failure?.explanation(includesRoots: true) }

    /// What operators are shown of a mutation's writes and their events; nil unless the options ask for it.
    public var notes: WorkNotes? { failure?.notes }

    /// Adds what was noted of a mutation.
    mutating func add(_ notes: WorkNotes) {
        failure = failure?.noting(notes) ?? FailureDetails(.fieldErrors([]), notes: notes)
    }

    /// Notes what was decided, so that the report of a successful request explains it too.
    mutating func note(_ decided: DecidedRequest) {
        failure = failure?.deciding(decided) ?? FailureDetails(.fieldErrors([]), decided: decided)
    }
}

extension GraphQLError {
    /// The message for a log, its path before it: without what it quotes of values, and not longer than a line.
    var cause: String {
        let place = (path ?? []).map {
            switch $0 {
            case .key(let key): key
            case .index(let index): "\(index)"
            }
        }.joined(separator: ".")
        // A name in `variables` may be any text; a line of the log stays one line.
        let text = ((place.isEmpty ? "" : "\(place): ") + Self.withoutValues(message)).filter { !$0.isNewline }
        return text.utf8.count <= 300 ? text : "\(text.prefix(297))…"
    }

    /// Messages quote values in a few places, which a test goes through. What follows such a place is left out, up to
    /// where the message speaks of names again; the quoted value may hold any text, so the last such place counts.
    ///
    /// A message may be as long as the request, whose names it repeats; a line of the log needs its beginning alone.
    private static func withoutValues(_ message: String) -> String {
        let message = beginning(of: message)
        for (start, resumptions) in quotations {
            guard let found = message.firstRange(of: start) else { continue }
            let rest = message[found.upperBound...]
            let resumption = resumptions.compactMap { rest.ranges(of: $0).last?.lowerBound }.max()
            return message[..<found.upperBound] + "…" + (resumption.map { String(rest[$0...]) } ?? "")
        }
        return message
    }

    /// As much of a message as is searched for a log: 2 KiB.
    static func beginning(of message: String) -> String {
        message.utf8.count <= 2_048 ? message : String(decoding: message.utf8.prefix(2_048), as: UTF8.self)
    }

    /// What a message says before a value, and what it may say after it.
    private static let quotations: [(start: String, resumptions: [String])] = [
        (
            "' with value '",
            [
                "' is not a valid '", "' contains a field not in '", "' is missing required fields '",
                "' must not be null", "' must be an object type",
            ]
        ),
        ("Bad default value ", [" for type "]), ("Unable to parse ", []), ("Unable to serialize ", []),
        ("No value found for name ", []), (": Value '", ["' at '"]), ("Unknown operation named ", []),
    ]
}
