import JSON

/// What a page can follow by the live channel.
enum LiveTopic: Sendable, Hashable {
    /// The items of a model that mutations write.
    case changes(model: String)
    /// The requests that are recorded.
    case requests
    /// The jobs of operators.
    case jobs
    /// The schema that is served, and deployments of it.
    case schema

    /// A topic without what distinguishes the topics of one kind; the raw value is its bit in a set of kinds.
    enum Kind: UInt8, Sendable {
        case changes = 1
        case requests = 2
        case jobs = 4
        case schema = 8
    }

    /// - Parameter text: As `follow` has it; nil for a topic that this server does not have.
    init?(_ text: String) {
        switch text {
        case "requests": self = .requests
        case "jobs": self = .jobs
        case "schema": self = .schema
        case _ where text.hasPrefix(Self.changesPrefix) && text.utf8.count <= ConsoleLimits.liveTopicBytesMax:
            self = .changes(model: String(text.dropFirst(Self.changesPrefix.count)))
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .changes(let model): Self.changesPrefix + model
        case .requests: "requests"
        case .jobs: "jobs"
        case .schema: "schema"
        }
    }

    var kind: Kind {
        switch self {
        case .changes: .changes
        case .requests: .requests
        case .jobs: .jobs
        case .schema: .schema
        }
    }

    /// Whether it can be followed: a topic of changes is that of a model.
    ///
    /// - Parameter models: Those of the API; nil if any is.
    func isKnown(_ models: Set<String>?) -> Bool {
        guard case .changes(let model) = self, let models else { return true }
        return models.contains(model)
    }

    /// The message that a page is sent if it cannot follow the topic, or no longer. It has no number.
    var refusal: [UInt8] {
        var name = ""
        if case .changes(let model) = self { name = model }
        let problem = OperatorProblem.unknownModel(name)
        let message: JSONValue = [
            "topic": .string(text),
            "error": ["code": .string(problem.code.rawValue), "message": .string(problem.message)],
        ]
        return Array(message.description.utf8)
    }

    private static let changesPrefix = "changes:"
}
