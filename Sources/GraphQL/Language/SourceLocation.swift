/// A place in a source as people count: lines from 1, columns from 1.
public struct SourceLocation: Sendable, Hashable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in UTF-16 code units: the engine behind AppSync counts Java's `char`s.
    public var column: Int

    /// A place by its line and column, both from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
