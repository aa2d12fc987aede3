public import Tables

/// A write of a request that is recorded or explained, whether it was carried out or not. It holds no value of the item.
public struct WriteNote: Sendable {
    /// The key of the field in the answer.
    public let path: String
    /// How it is carried out.
    public let statement: WriteStatement
    /// The item's version after it; nil for a model without versions, and if nothing was written.
    public var version: Int64?
    /// Why nothing was written, as a sentence without a period; nil if the write was carried out.
    public var conflict: String?
}

extension MutationCourse.Refusal {
    /// The reason for an operator, as a sentence without a period.
    var reason: String {
        switch self {
        case .conditionFailed, .versionedConditionFailed:
            "the item does not meet the condition, is missing, or exists already"
        case .guardFailed, .unauthorized: "the rules do not allow it for the stored item"
        case .unauthorizedFields(let names): "the rules do not allow it for \(names.joined(separator: ", "))"
        case .conflictUnhandled: "the stored item has another version"
        case .conflictFunctionFailed: "the function that resolves conflicts failed"
        case .invalidConflictDecision: "the function that resolves conflicts gave no valid decision"
        case .tooManyConflicts: "the item was changed by others again and again"
        }
    }
}
