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
        SequencerRecord.self,
    ]
}
