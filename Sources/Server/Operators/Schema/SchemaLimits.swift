/// All bounds of calls about the schema, each with its unit at the end of its name; `SchemaEditLimits` has those of its text.
enum SchemaLimits {
    /// The body of a request: a schema and what it began from, as JSON.
    static let requestBytesMax = 12 << 20
}
