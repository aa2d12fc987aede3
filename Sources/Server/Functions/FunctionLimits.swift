/// The bounds of functions.
public struct FunctionLimits: Sendable, Hashable {
    /// Time for a function to answer, in seconds, its connection included.
    public var callSeconds = 10
    /// Calls at one time, of pipelines, of conflicts and of triggers each, three quarters of them to one URL. One more of a
    /// conflict is not begun, one more of the others waits.
    public var callsMax = 64
    /// Calls of pipelines that wait, three quarters of them to one URL; one more is an error.
    public var queueCountMax = 1_000
    /// Bytes of the events of those that wait.
    public var queueBytesMax = 64 << 20
    /// Bytes of an answer. AWS Lambda, "Quotas": 6 MB, and some bytes around it.
    public var answerBytesMax = 6_291_556

    /// The defaults.
    public init() {}
}
