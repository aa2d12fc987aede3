public import JSON

/// Why rules have decided as they did, for operators and developers: of each field that was asked about the rule that decided,
/// or each rule and why it did not match.
///
/// It has names of types, fields, rules and claims, and no value of an item, of an argument or of a token. It is made after
/// the fact, from the schema, the operation and the identity alone; requests that nobody asks about cost nothing.
public struct AuthorizationExplanation: Sendable, Hashable {
    /// What the rules come to.
    public enum Outcome: String, Sendable, Hashable {
        /// Everything is given.
        case allowed
        /// The rules allow some items, or inputs, and others not.
        case conditional
        /// Nothing is given.
        case denied
    }

    /// One rule.
    public struct Rule: Sendable, Hashable {
        /// The rule by the name that Amplify's messages use: `Post:userPools:owner:owner:username`.
        public var name: String
        /// Whether it allowed what was asked.
        public var matches: Bool
        /// Why, or why not, as a sentence without a period.
        public var reason: String
    }

    /// A field of the operation.
    public struct Entry: Sendable, Hashable {
        /// The field, as `Query.getPost`.
        public var field: String
        /// What was asked of the rules, as `get Post`.
        public var subject: String
        /// What became of it.
        public var outcome: Outcome
        /// What decided besides rules: the mode of a field, or what it means that there are none.
        public var reason: String?
        /// The rules, in their order.
        public var rules: [Rule]
    }

    /// In the order of the operation; those of errors come after those of root fields.
    public var entries: [Entry]

    /// The explanation for a line of the log: what was refused, and by what.
    public var text: String {
        entries.filter { $0.outcome == .denied }.prefix(4).map(\.text).joined(separator: " | ")
    }

    /// As `extensions.syncline.authorization` has it.
    public var json: JSONValue { .array(entries.map(\.json)) }

    /// The `extensions` of an answer or an error that is explained.
    public var extensions: JSONValue { ["syncline": ["authorization": json]] }
}

extension AuthorizationExplanation.Entry {
    fileprivate var text: String {
        let reasons = [reason].compactMap { $0 } + rules.map { "\($0.name): \($0.reason)" }
        return "\(field) (\(subject)): \(reasons.joined(separator: "; "))"
    }

    fileprivate var json: JSONValue {
        // The rule that decided stands alone.
        let deciding = outcome == .allowed ? rules.first(where: \.matches) : nil
        return [
            "field": .string(field), "subject": .string(subject), "outcome": .string(outcome.rawValue),
            "reason": (reason ?? deciding?.reason).map { .string($0) } ?? .null,
            "decidedBy": deciding.map { .string($0.name) } ?? .null,
            "rules": .array(
                deciding != nil
                    ? []
                    : rules.map { rule in
                        [
                            "rule": .string(rule.name), "matches": .bool(rule.matches),
                            "reason": .string(rule.reason),
                        ]
                    }),
        ]
    }
}
