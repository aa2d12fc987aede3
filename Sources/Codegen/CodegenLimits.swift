/// The bounds of statements and of the types that belong to them.
///
/// A schema with relations in both directions has a selection that grows by a factor with each level, so that a small
/// schema could give gigabytes of code. The bounds of one statement are those of the service's documents by default.
public enum CodegenLimits {
    /// The levels of composite types that a statement may select.
    public static let depthRange = 1...50
    /// The levels of a statement where none are given: Amplify's default.
    public static let depthDefault = 2
    /// Fields of one statement, those of an interface counted for each of its possible types.
    static let statementFieldsMax = 10_000
    /// Tokens of the selections of one statement.
    static let statementTokensMax = 14_000
    /// Nested selection sets of one statement, those of inline fragments included.
    static let statementLevelsMax = 99
    /// Fields of all statements of an API.
    static let fieldsMax = 1_000_000
    /// Statements that are reported as too large.
    static let reportedStatementsMax = 20
}
