/// A connection that could be closed so that the server keeps less.
struct ReliefCandidate: Sendable {
    let connection: Connection
    let keptBytes: Int
    /// Since when the connection has made no progress.
    let sinceNanoseconds: Int64
}
