import Tables

/// What an answer has cost the store's readers.
public struct AnswerWork: Sendable, Hashable {
    /// Rows that were read, kept ones not included.
    public var rowCount = 0
    /// Steps of SQLite's virtual machine, as counted at each look at the budget.
    public var stepCount = 0
    /// How rows were found: tables and their indexes, of each read its first 16 statements.
    public var accessPaths: [String] = []

    init() {}

    /// Adds what a reader's present request has cost.
    @inline(__always)
    mutating func add(_ reader: Reader) {
        rowCount &+= reader.rowCount
        stepCount &+= reader.stepCount
        addAccessPaths(reader.accessPaths)
    }

    /// Adds the rows that were gathered for a request.
    mutating func add(_ gathered: GatheredRows) { rowCount &+= gathered.rowCount }

    @inline(__always)
    private mutating func addAccessPaths(_ paths: [String]) {
        if accessPaths.isEmpty {
            // One reference, to an array that the reader fills again for its next request.
            accessPaths = paths
        } else if !paths.isEmpty, accessPaths.count < 16 {
            accessPaths += paths.filter { !accessPaths.contains($0) }
        }
    }
}
