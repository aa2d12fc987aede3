/// Who decides when an update or delete names another version than the stored one. Amplify's `ConflictHandler`.
public enum ConflictHandler: String, Sendable, Hashable, CaseIterable {
    /// An update is merged into the stored item by `Automerge`; a delete is a conflict.
    case automerge = "AUTOMERGE"
    /// It is a conflict, and nothing is stored.
    case optimisticConcurrency = "OPTIMISTIC_CONCURRENCY"
    /// The same for the store. The API asks the function, and writes its answer with the version it was given:
    /// `Write.resolving` or a delete. If that version is no longer the stored one, it is a conflict again.
    case lambda = "LAMBDA"
}
