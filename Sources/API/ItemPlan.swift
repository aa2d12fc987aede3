import GraphQL
import Tables

/// One item by its primary key, or the first one that an index has by its whole key.
final class ItemPlan: Sendable {
    enum Key: Sendable {
        /// Arguments in key order, each a constant or a variable, with the types of their columns.
        case arguments([(template: ValueTemplate?, type: ColumnType)])
        /// Positions in the parent's row, in key order.
        case parent([Int])

        var count: Int {
            switch self {
            case .arguments(let parts): parts.count
            case .parent(let positions): positions.count
            }
        }

        /// A part of the key, by its place; nil when it is null or absent.
        func operand(_ part: Int, of row: some ParentRow, _ variables: VariableValues) -> Operand? {
            switch self {
            case .parent(let positions):
                return row.isNull(positions[part]) ? nil : row.operand(positions[part])
            case .arguments(let parts):
                let value: CoercedValue? =
                    switch parts[part].template {
                    case .constant(let value): value
                    case .variable(let position): variables[position]
                    default: nil
                    }
                guard let value, !value.isNull else { return nil }
                return .value(Value(value, as: parts[part].type))
            }
        }
    }

    let key: Key
    let access: Access
    let fetch: Fetch
    let selection: ItemSelection
    /// Whether its answer follows from one text alone, the item's key, and may be kept for it.
    let isKept: Bool
    private let table: StoredTable
    private let columns: [Int]

    init(
        key: Key, access: Access = .item, table: StoredTable, columns: [Int], fields: [PlannedField],
        from cache: FetchCache
    ) {
        self.key = key
        self.access = access
        self.table = table
        self.columns = columns
        selection = ItemSelection(fields)
        isKept = key.count == 1 && access == .item && selection.isPlain
        fetch = cache.fetch(table, columns: columns, access: access, sort: Self.sort(of: key, access))
    }

    /// The same fetch with a rule's condition in it; an item that fails it is read and does not match.
    func fetch(narrowedBy condition: Condition, from cache: FetchCache) -> NarrowedFetch {
        let condition = ParameterizedCondition(condition, of: table.table)
        let fetch = cache.fetch(
            table, columns: columns, access: access, sort: Self.sort(of: key, access), filter: condition.shape)
        return NarrowedFetch(fetch: fetch, values: condition.values)
    }

    /// Whether an item may be read as far as its key shows (`RowDecision.allows`). A key of which a part is absent leads to
    /// no item.
    func mayBeReadable(by rows: RowDecision, keyOf row: some ParentRow, _ variables: VariableValues) -> Bool {
        let columns = keyColumns
        guard rows.isAbout(columns) else { return true }
        var values: [Value] = []
        for part in 0..<min(key.count, columns.count) {
            guard let operand = key.operand(part, of: row, variables) else { return true }
            values.append(operand.value)
        }
        return rows.allows(key: values, of: columns)
    }

    /// The columns that are a key attribute by themselves: a part of a composite sort key is none.
    private var keyColumns: [Int] {
        let schema = if case .index(let index) = access { table.table.indexes[index].key } else { table.table.key }
        return schema.isComposite ? [schema.partitionKey] : schema.columns
    }

    /// A fetch that a request narrows, and the values of its condition.
    struct NarrowedFetch {
        var fetch: Fetch
        var values: [Value] = []
    }

    /// The condition on an index's sort key, of the key's parts after the first.
    static func sort(_ parts: [Value]) -> SortCondition? {
        parts.isEmpty ? nil : SortCondition(sortOperator: .eq, operands: [parts])
    }

    /// In an index, the parts of the key after the first are a condition on its sort key.
    private static func sort(of key: Key, _ access: Access) -> SortShape? {
        guard access != .item, key.count > 1 else { return nil }
        return SortShape(sortOperator: .eq, partCounts: [key.count - 1])
    }
}
