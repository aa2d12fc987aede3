/// The bounds of functions.
public struct FunctionLimits: Sendable, Hashable {
    /// Time for a function to answer, in seconds, its connection included.
    public var callSeconds = 10
    /// Calls at one time; one more is not begun.
    public var callsMax = 64
    /// Bytes of an answer.
    public var answerBytesMax = 1 << 20

    /// The defaults.
    public init() {}
}
