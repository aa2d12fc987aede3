/// What kind of answer the bytes are, for the layer that speaks HTTP.
public struct AnswerKind: Sendable, Equatable {
    /// The HTTP status: 200 whenever GraphQL was reached.
    public var status: Int
    /// For `x-amzn-ErrorType`; nil with 200.
    public var errorType: String?
    /// Of each entry of `errors` its `errorType`, or what AppSync's three shapes are called where it has none.
    public var errorTypes: [String]
    /// For logs and counters alone.
    public var report: AnswerReport

    /// An answer of this status.
    public init(status: Int, errorType: String? = nil) {
        self.status = status
        self.errorType = errorType
        errorTypes = []
        report = AnswerReport()
    }

    /// All parts at once: a kind that is changed after it was made is copied for each request.
    private init(status: Int, errorTypes: [String], report: AnswerReport) {
        self.status = status
        self.errorTypes = errorTypes
        self.report = report
    }

    /// Execution began; whatever errors there are stand inside the 200.
    static func executed(_ errors: [FieldError], in scope: Completion.Scope, _ work: AnswerWork) -> AnswerKind {
        AnswerKind(
            status: 200, errorTypes: errors.isEmpty ? [] : errors.map(\.errorType),
            report: AnswerReport(errors, of: scope.plan.record, work, isPlanCached: scope.isPlanCached) {
                DecidedRequest(scope.schema, scope.plan, scope.identity, scope.variables)
            })
    }

    /// Whether the request, or a part of it, failed.
    public var isFailure: Bool { status >= 400 || !errorTypes.isEmpty }

    /// Whether callers receive the same answer; the report is ignored.
    public static func == (left: AnswerKind, right: AnswerKind) -> Bool {
        left.status == right.status && left.errorType == right.errorType && left.errorTypes == right.errorTypes
    }
}
