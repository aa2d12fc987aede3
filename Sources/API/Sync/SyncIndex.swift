import GraphQL
import Tables
import Transformer

/// A key by which the base of a selective sync is read: DataStore's sync expressions ask for the items of one room or
/// user, and a Query finds them where a Scan would look at the whole table. AWS AppSync's `Sync` does the same.
///
/// Only a key that every item has: one without sort key, or whose sort keys are Non-Null fields. An item that lacks such a
/// field could not be delivered anyway.
///
/// The order of pages is the key's and not that of creation. An item whose key changes between two pages may be missed by
/// the base, and has a later stamp than the sync's start then, so that the next delta has it.
struct SyncIndex: Sendable, Hashable {
    let access: Access
    /// The column whose value is asked for.
    let column: Int
    /// Distinguishes the key from others in a page token, which may outlive a reload of the schema. Positive, of 62 bits.
    let fingerprint: Int64

    /// The keys of a model's table that can be read by, the narrowest first.
    static func all(of model: Model, _ table: Table, in schema: Schema) -> [SyncIndex] {
        let fields = schema.type(named: model.name).flatMap { schema[$0].fields?.fields } ?? []
        func isPresent(_ column: Int) -> Bool {
            fields.first { $0.name == table.columns[column].field }?.type.isNonNull ?? false
        }
        let primary = SyncIndex(.primaryKey, table.key, named: "", of: table)
        let secondary = table.indexes.indices.filter { table.indexes[$0].key.sortKeys.allSatisfy(isPresent) }
            .sorted { table.indexes[$0].key.sortKeys.count < table.indexes[$1].key.sortKeys.count }
            .map { SyncIndex(.index($0), table.indexes[$0].key, named: table.indexes[$0].name, of: table) }
        return [primary] + secondary
    }

    private init(_ access: Access, _ key: KeySchema, named name: String, of table: Table) {
        self.access = access
        column = key.partitionKey
        // FNV-1a, over what makes the order of its rows.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in [name] + key.columns.map({ table.columns[$0].name }) {
            for byte in Array(text.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        fingerprint = Int64(hash >> 2) | 1
    }
}
