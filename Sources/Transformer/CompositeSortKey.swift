/// A secondary index whose sort key is two or more fields joined into one text (`status#createdAt`).
///
/// A single part would leave the joined text incomplete, so a mutation gives all of the fields or none.
public struct CompositeSortKey: Sendable, Hashable {
    /// The directive that made the index, as error messages spell it without `@`: `key` or `index`.
    public var directiveName: String
    /// The name of the index, as error messages spell it.
    public var indexName: String
    /// The sort fields in key order, without the partition key.
    public var fields: [String]

    /// A composite sort key of the index with this name.
    public init(directiveName: String = "key", indexName: String, fields: [String]) {
        self.directiveName = directiveName
        self.indexName = indexName
        self.fields = fields
    }
}
