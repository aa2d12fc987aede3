/// What came of asking.
public enum ConflictAnswer: Sendable, Hashable {
    /// What the function answered, as JSON.
    case answered([UInt8])
    /// The function failed, or took too long.
    case failed
    /// As many conflicts are being decided as may be; this one was not begun.
    case busy
}
