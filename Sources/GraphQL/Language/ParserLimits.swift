/// How much text a parser takes before it gives up.
public struct ParserLimits: Sendable, Hashable {
    /// Tokens in a document.
    public var tokensMax: Int
    /// Levels of nesting: selection sets in one another, lists and objects in values, lists in types.
    public var depthMax: Int

    /// Limits by their values.
    public init(tokensMax: Int, depthMax: Int) {
        self.tokensMax = tokensMax
        self.depthMax = depthMax
    }

    /// For documents that callers send. Fifteen thousand tokens is what later releases of AppSync's engine allow.
    public static let request = ParserLimits(tokensMax: 15_000, depthMax: 100)

    /// For the schema, which the operator writes.
    public static let schema = ParserLimits(tokensMax: 4_000_000, depthMax: 100)
}
