/// What became of an invocation.
public enum FunctionResult: Sendable, Hashable {
    /// What the function answered, as it came.
    case answered([UInt8])
    /// It gave no answer: the error of the field (reference: resolvers, "Errors").
    case failed(errorType: String, message: String)
}
