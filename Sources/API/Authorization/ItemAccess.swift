import Tables
public import Transformer

/// Which rules allow an identity to read, update and delete one stored item.
///
/// Like an explanation it has names of types, fields, rules and claims, and no value of the item or of a token.
public struct ItemAccess: Sendable, Hashable {
    /// What is allowed of one operation.
    public struct Answer: Sendable, Hashable {
        /// Whether it is allowed.
        public var isAllowed: Bool
        /// The rule that allows it, as Amplify's messages write it; nil if none decides.
        public var rule: String?
        /// The same rule as `@auth` writes it.
        public var ruleText: String?
        /// Why the rule allows it, or what else decides, as a sentence without a period.
        public var reason: String?
        /// The fields that may be read or updated, in the order of the table; nil for all of them.
        public var fields: [String]?
        /// The rules that do not allow it, in their order.
        public var unmet: [AuthorizationExplanation.Rule] = []

        init(isAllowed: Bool, reason: String?, fields: [String]? = nil) {
            (self.isAllowed, self.reason, self.fields) = (isAllowed, reason, fields)
        }

        /// The answer to a caller whose credentials are refused, so that no rule is evaluated.
        public static func refused(_ reason: String) -> Answer { Answer(isAllowed: false, reason: reason) }
    }

    /// What is allowed, by operation: `get` stands for reading.
    public var answers: [AuthorizationRule.Operation: Answer]

    /// The operations that are answered, in their order.
    public static let operations: [AuthorizationRule.Operation] = [.get, .update, .delete]
}

extension GraphQLAPI {
    /// Which rules allow an identity to read, update and delete a stored item of a model.
    public func access(of identity: Identity, to item: StoredItems.Item, ofModel model: Int) -> ItemAccess {
        AuthorizationExplainer(schema, identity).access(to: Item(values: item.values), ofModel: model)
    }
}
