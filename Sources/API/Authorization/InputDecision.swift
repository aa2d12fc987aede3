import GraphQL
import Tables

/// What a create may contain, and what it is filled with (reference: authorization, "Writes").
struct InputDecision: Sendable, Hashable {
    /// The owner that is stored where the input does not name one.
    struct Fill: Sendable, Hashable {
        var field: String
        var column: Int
        var value: Value
    }

    let fills: [Fill]
    let grants: [WriteGrant]
    /// The fields that a caller that may create an item with any field may set.
    let openFields: Set<String>

    /// The fills that the input lacks, or why it is refused.
    ///
    /// Roles are asked of the item as it will be filled: who is its owner by that alone may create it.
    /// - Parameter values: The attributes of the input, as they would be stored.
    func fills(
        of input: CoercedValue, _ values: [(column: Int, value: Value)], in table: Table
    ) -> Result<[Fill], Refusal> {
        let missing = fills.filter { input[$0.field] == nil }
        var item = Item(values: Array(repeating: .null, count: table.columns.count))
        for (column, value) in values { item.values[column] = value }
        for fill in missing { item.values[fill.column] = fill.value }
        let held = grants.filter { $0.condition.holds(of: item, in: table) }
        guard !held.isEmpty else { return .failure(Refusal(refusal: .item)) }
        guard !held.contains(where: \.isWhole) else { return .success(missing) }
        let denied = input.fields.map(\.name).filter { name in
            !openFields.contains(name) && !held.contains { $0.fields.contains(name) }
        }
        return denied.isEmpty ? .success(missing) : .failure(Refusal(refusal: .fields(denied)))
    }

    struct Refusal: Error {
        let refusal: WriteGuard.Refusal
    }
}
