/// What a commit has survived when it is acknowledged.
public enum Durability: String, Sendable, Hashable {
    /// The loss of power: the log is synchronised at every commit.
    case full
    /// The end of the process, but not of the machine. For tests and imports.
    case off
}
