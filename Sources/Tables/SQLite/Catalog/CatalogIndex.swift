/// A secondary index of a stored table.
struct CatalogIndex: Sendable, Hashable {
    var name: String
    var storedName: String
    /// The attribute names of its key, the partition key first.
    var key: [String]
}
