public import Tables

/// The tables of buckets. Their names have a dot, which no name of GraphQL has.
public enum BucketTables {
    /// What the names begin with.
    public static let namePrefix = "Buckets."

    /// All tables, to be brought to the store beside those of a schema.
    public static var all: [Table] { kinds.map { $0.storedTable } }

    /// Where the names of blobs are: tables and their columns.
    public static let blobColumns = [ObjectRecord.self, PartRecord.self as any Record.Type].map {
        (table: $0.storedTable.name, column: "blob")
    }

    static let kinds: [any Record.Type] = [
        BucketRecord.self, ObjectRecord.self, UploadRecord.self, PartRecord.self, EventRecord.self,
    ]

    /// A table of text columns, but for those that are numbers.
    static func table(
        _ name: String, _ columns: [String], integers: Set<String> = [], key: (String, String?),
        indexes: [(name: String, partition: String, sort: String?)] = []
    ) -> Table {
        func position(_ name: String) -> Int {
            guard let position = columns.firstIndex(of: name) else { preconditionFailure("\(name) is a column") }
            return position
        }
        func schema(_ partition: String, _ sort: String?) -> KeySchema {
            KeySchema(partitionKey: position(partition), sortKeys: sort.map { [position($0)] } ?? [])
        }
        return Table(
            name: namePrefix + name,
            columns: columns.map { Column(name: $0, type: integers.contains($0) ? .integer : .text) },
            key: schema(key.0, key.1),
            indexes: indexes.map { SecondaryIndex(name: $0.name, key: schema($0.partition, $0.sort)) })
    }
}
