public import JSON

/// The reasons for authorization decisions, for operators and developers: for each field the rule that allowed it, or each rule
/// and why it did not match.
///
/// It has names of types, fields, rules and claims, and no value of an item, of an argument or of a token. It is computed after
/// the response, from the schema, the operation and the identity; requests that are not explained cost nothing.
public struct AuthorizationExplanation: Sendable, Hashable {
    /// The combined result of the rules.
    public enum Outcome: String, Sendable, Hashable {
        /// Everything is allowed.
        case allowed
        /// The rules allow only some items or inputs.
        case conditional
        /// Nothing is allowed.
        case denied
    }

    /// One rule.
    public struct Rule: Sendable, Hashable {
        /// The result of a rule.
        public enum Verdict: Sendable, Hashable {
            /// It allows the whole request.
            case allows
            /// It allows some items, or some fields of an input.
            case allowsSome
            /// It allows nothing.
            case doesNotMatch
        }

        /// The rule as Amplify's messages write it: `Post:userPools:owner:owner:username`. For a rule on a field, the field
        /// follows the type: `Post.title:userPools:private`.
        public var name: String
        /// Its result.
        public var verdict: Verdict
        /// Why it matches or does not match, as a sentence without a period.
        public var reason: String
    }

    /// A field of the operation.
    public struct Entry: Sendable, Hashable {
        /// The field, as `Query.getPost`.
        public var field: String
        /// The subject of the decision, as `get Post`.
        public var subject: String
        /// The decision.
        public var outcome: Outcome
        /// The reason if no rule decided: the mode of a field, or the effect of missing rules.
        public var reason: String?
        /// The rules, in their order.
        public var rules: [Rule]
    }

    /// The names of the rules that allowed something: for each subject the first that allows everything, or else all that
    /// allow some items or fields. Empty if they were not requested.
    public var metRules: Set<ExactText> = []

    /// In the order of the operation; those of errors come after those of root fields.
    public var entries: [Entry]

    /// The explanation for a log line: what was denied, and why.
    public var text: String {
        entries.filter { $0.outcome == .denied }.prefix(Self.loggedEntriesMax).map(\.text).joined(separator: " | ")
    }

    /// Denied fields that a log line explains.
    private static let loggedEntriesMax = 4

    /// As `extensions.syncline.authorization` has it.
    public var json: JSONValue { .array(entries.map(\.json)) }

    /// The `extensions` of an explained response or error.
    public var extensions: JSONValue { ["syncline": ["authorization": json]] }
}

extension AuthorizationExplanation.Entry {
    fileprivate var text: String {
        let reasons = [reason].compactMap { $0 } + rules.map { "\($0.name): \($0.reason)" }
        return "\(field) (\(subject)): \(reasons.joined(separator: "; "))"
    }

    fileprivate var json: JSONValue {
        // Only the rule that decided is listed.
        let deciding = outcome == .allowed ? rules.first { $0.verdict == .allows } : nil
        func listed(_ isListed: (AuthorizationExplanation.Rule) -> Bool) -> JSONValue {
            let listed = deciding == nil ? rules.filter(isListed) : []
            return .array(listed.map { ["rule": .string($0.name), "why": .string($0.reason)] })
        }
        return [
            "path": .string(field), "subject": .string(subject), "outcome": .string(outcome.rawValue),
            "reason": (reason ?? deciding?.reason).map { .string($0) } ?? .null,
            "rule": deciding.map { .string($0.name) } ?? .null,
            "conditional": listed { $0.verdict != .doesNotMatch }, "unmet": listed { $0.verdict == .doesNotMatch },
        ]
    }
}
