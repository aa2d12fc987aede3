import GraphQL
import Tables

/// What an answer says to logs and counters and not to the caller. It never holds a value that a caller sent or an item
/// has: only names of operations, types and fields, and the messages without the values they quote.
public struct AnswerReport: Sendable {
    /// The operation that was planned; nil when none could be.
    public var operation: OperationRecord?
    /// What the answer has cost the store's readers.
    public var work = AnswerWork()
    /// What the three below are made of, when somebody asks for them: most answers have no line in a log.
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
    init(_ errors: [FieldError], of operation: OperationRecord?, _ work: AnswerWork) {
        self.operation = operation
        self.work = work
        if !errors.isEmpty { failure = FailureDetails(.fieldErrors(errors)) }
    }
}

/// What a developer may do about a refused request, for a layer that knows how it is done.
public enum AnswerHint: Sendable, Hashable {
    /// The document asks for what only models with conflict detection have: `_version`, `syncPosts` and the like.
    case conflictDetection
}

/// What an answer has cost the store's readers.
public struct AnswerWork: Sendable, Hashable {
    /// Rows that were read, kept ones not included.
    public var rowCount = 0
    /// Steps of SQLite's virtual machine, as counted at each look at the budget.
    public var stepCount = 0
    /// How rows were found: tables and their indexes, of each read its first 16 statements.
    public var accessPaths: [String] = []

    init() {}

    /// Adds what a reader's present request has cost.
    @inline(__always)
    mutating func add(_ reader: Reader) {
        rowCount &+= reader.rowCount
        stepCount &+= reader.stepCount
        addAccessPaths(reader.accessPaths)
    }

    @inline(__always)
    private mutating func addAccessPaths(_ paths: [String]) {
        if accessPaths.isEmpty {
            // One reference, to an array that the reader fills again for its next request.
            accessPaths = paths
        } else if !paths.isEmpty, accessPaths.count < 16 {
            accessPaths += paths.filter { !accessPaths.contains($0) }
        }
    }
}

// MARK: - Causes

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
    fileprivate static func beginning(of message: String) -> String {
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

extension AnswerHint {
    /// Fields that only a model with conflict detection has.
    private static let versionFields = ["'_version'", "'_deleted'", "'_lastChangedAt'"]

    /// What may be done about these errors of a document or its variables.
    init?(_ errors: [GraphQLError]) {
        let asksForVersions = errors.prefix(16).contains { error in
            let message = GraphQLError.beginning(of: error.message)
            return Self.versionFields.contains { message.contains($0) }
                || message.contains("FieldUndefined: Field 'sync")
                    && message.contains("' in type 'Query' is undefined")
        }
        guard asksForVersions else { return nil }
        self = .conflictDetection
    }
}

// MARK: - Names
