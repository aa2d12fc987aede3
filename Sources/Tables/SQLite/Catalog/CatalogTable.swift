/// A table of the store.
struct CatalogTable: Sendable, Hashable {
    var name: String
    var storedName: String
    /// The primary key's attribute names, the partition key first.
    var key: [String]
    /// The name of the primary key's SQLite index.
    var keyIndex: String
    var columns: [CatalogColumn] = []
    var indexes: [CatalogIndex] = []
    /// What it has if it is or was versioned.
    var versioning: CatalogVersioning?
    /// Whether it holds no item. Not stored, but looked up: without items nothing can be lost.
    var isEmpty = true

    subscript(column name: String) -> CatalogColumn? {
        columns.first { $0.name == name }
    }

    subscript(index name: String) -> CatalogIndex? {
        indexes.first { $0.name == name }
    }
}
