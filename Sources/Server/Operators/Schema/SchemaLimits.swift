/// All bounds of calls about the schema, each with its unit at the end of its name; `SchemaEditLimits` has those of its text.
enum SchemaLimits {
    /// The body of a request: a schema and what it began from, as JSON.
    static let requestBytesMax = 12 << 20
    /// Renames of a draft or a plan, in number.
    static let renamesMax = 1_000
    /// Drafts that are kept, one for each operator, in number.
    static let draftsMax = 100
}
