public import Tables

/// What an answer has cost the store's readers.
public struct AnswerWork: Sendable, Hashable {
    /// Rows that were read, kept ones not included.
    public var rowCount = 0
    /// Steps of SQLite's virtual machine, as counted at each look at the budget.
    public var stepCount = 0
    /// By what rows were read: of each read its first 16 statements.
    public private(set) var statements: [ReadStatement] = []
    /// How rows were found: the table, and the index if there was one, of each statement.
    public var accessPaths: [String] { statements.map(\.accessPath) }

    init() {}

    /// Adds what a reader's present request has cost.
    @inline(__always)
    mutating func add(_ reader: Reader) {
        rowCount &+= reader.rowCount
        stepCount &+= reader.stepCount
        add(reader.readStatements)
    }

    /// Adds the rows that were gathered for a request.
    mutating func add(_ gathered: GatheredRows) { rowCount &+= gathered.rowCount }

    @inline(__always)
    private mutating func add(_ others: [ReadStatement]) {
        if statements.isEmpty {
            // One reference, to an array that the reader fills again for its next request.
            statements = others
        } else if !others.isEmpty, statements.count < 16 {
            statements += others.filter { other in !statements.contains { $0.accessPath == other.accessPath } }
        }
    }
}
