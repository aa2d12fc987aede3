/// A column of a stored table; without type it is the generated one of a composite sort key.
struct CatalogColumn: Sendable, Hashable {
    var name: String
    var storedName: String
    var type: ColumnType?
}
