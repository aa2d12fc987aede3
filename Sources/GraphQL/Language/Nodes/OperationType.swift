/// What an operation does.
public enum OperationType: String, Sendable, Hashable, BitwiseCopyable {
    case query, mutation, subscription
}
