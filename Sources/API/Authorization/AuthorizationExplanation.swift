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
        /// What a rule comes to.
        public enum Verdict: Sendable, Hashable {
            /// It allows everything that was asked.
            case allows
            /// It allows some items, or some fields of an input.
            case allowsSome
            /// It allows nothing.
            case doesNotMatch
        }

        /// The rule by the name that Amplify's messages use: `Post:userPools:owner:owner:username`. Of a rule on a field the
        /// field follows the type: `Post.title:userPools:private`.
        public var name: String
        /// What it comes to.
        public var verdict: Verdict
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

    /// The rules that allowed something, by their names: of each question the first that allows everything, or else all that
    /// allow some items or fields. Empty where it was not asked for.
    public var metRules: Set<String> = []

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
        let deciding = outcome == .allowed ? rules.first { $0.verdict == .allows } : nil
        return [
            "field": .string(field), "subject": .string(subject), "outcome": .string(outcome.rawValue),
            "reason": (reason ?? deciding?.reason).map { .string($0) } ?? .null,
            "decidedBy": deciding.map { .string($0.name) } ?? .null,
            "rules": .array(
                deciding != nil
                    ? []
                    : rules.map { rule in
                        [
                            "rule": .string(rule.name), "matches": .bool(rule.verdict != .doesNotMatch),
                            "reason": .string(rule.reason),
                        ]
                    }),
        ]
    }
}
