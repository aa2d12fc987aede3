public import Tables

/// Which items of a table an operator reads, and in which order.
public struct StoredItemQuery: Sendable {
    let table: StoredTable
    let access: Access
    let key: [Value]
    let filter: ParameterizedCondition?
    let isDescending: Bool
    /// The primary keys of the only items that can meet the filter; nil if it does not name them.
    let itemKeys: [[Value]]?
    /// The partitions that have all items which can meet the filter, if it names several; a scan would find them as well.
    let partitions: Partitions?
    /// The filter, for items that are found by these keys or in these partitions.
    let condition: Tables.Condition?

    /// Some partitions of a key.
    struct Partitions: Sendable {
        let access: Access
        let keys: [Value]
    }

    /// Items that are found by their primary keys, in number.
    public static let itemKeysMax = 500
    /// Partitions of a key that are read for one filter, in number.
    static let partitionsMax = 100

    init(
        _ table: StoredTable, access: Access, key: [Value], filter: Tables.Condition? = nil, isDescending: Bool = false,
        itemKeys: [[Value]]? = nil, partitions: Partitions? = nil
    ) {
        (self.table, self.access, self.key, self.isDescending) = (table, access, key, isDescending)
        self.filter = filter.map { ParameterizedCondition($0, of: table.table) }
        (self.itemKeys, self.partitions, condition) = (itemKeys, partitions, filter)
    }

    /// Chooses how the items are found: by primary keys that the filter names, by a key whose partition key the filter gives, in
    /// one value or in some, or by a scan.
    ///
    /// - Parameters:
    ///   - order: The column of the order; nil for the order in which they are found.
    ///   - includesDeleted: Whether deleted items of a table with versions are included; nil for only them.
    ///   - presentColumns: The columns that no item lacks. An index has no item that lacks its sort key, so one with another
    ///     sort key is used only for its order.
    /// - Returns: Nil if no key has the order for this filter.
    public init?(
        _ table: StoredTable, filter: Tables.Condition?, order: Int?, isDescending: Bool, includesDeleted: Bool?,
        presentColumns: Set<Int>
    ) {
        let declared = table.table
        var deletion: Condition?
        if let metadata = declared.metadata, includesDeleted != true {
            deletion = .attributeExists(column: metadata.deleted, includesDeleted == nil)
        }
        let whole = Condition.both(filter, deletion)
        // A condition that is too large is refused by the store, with the reason.
        if order == nil, whole?.isWithinBounds ?? true, let keys = filter?.keys(of: declared.key.columns),
            keys.count <= Self.itemKeysMax
        {
            self.init(table, access: .item, key: [], filter: whole, isDescending: isDescending, itemKeys: keys)
            return
        }
        let equal = filter?.equalities ?? [:]
        var accesses: [(access: Access, key: KeySchema)] = [(.primaryKey, declared.key)]
        accesses += declared.indexes.enumerated().map { (.index($0.offset), $0.element.key) }
        if order == nil {
            let present = presentColumns.union(equal.keys)
            accesses = accesses.filter { $0.access == .primaryKey || $0.key.sortKeys.allSatisfy(present.contains) }
        }
        let chosen = accesses.first { access, key in
            equal[key.partitionKey] != nil && (order == nil || key.sortKeys.first == order)
        }
        guard let chosen, let value = equal[chosen.key.partitionKey] else {
            guard order == nil else { return nil }
            var partitions: Partitions?
            if let filter, whole?.isWithinBounds ?? true {
                partitions = accesses.compactMap { access, key in
                    filter.keys(of: [key.partitionKey]).map { Partitions(access: access, keys: $0.map { $0[0] }) }
                }.filter { $0.keys.count <= Self.partitionsMax }.min { $0.keys.count < $1.keys.count }
            }
            self.init(
                table, access: .scan, key: [], filter: whole, isDescending: isDescending, partitions: partitions)
            return
        }
        let isItem = chosen.access == .primaryKey && declared.key.sortKeys.isEmpty
        self.init(
            table, access: isItem ? .item : chosen.access, key: [value], filter: whole,
            isDescending: isItem ? false : isDescending)
    }

    /// The key by which items are found: nil for a scan, and the empty text for the primary key.
    public var index: String? {
        switch partitions?.access ?? access {
        case .scan, .changes: nil
        case .item, .primaryKey: ""
        case .index(let place): table.table.indexes[place].name
        }
    }
}

extension Condition {
    /// The values that the condition requires of columns that are neither lists nor nested types, by the column.
    fileprivate var equalities: [Int: Value] {
        switch self {
        case .compare(let column, .eq, let value) where value != .null: [column: value]
        case .isAny(let column, let texts) where texts.texts.count == 1: [column: .text(texts.texts[0])]
        case .and(let parts): parts.reduce(into: [:]) { $0.merge($1.equalities) { first, _ in first } }
        case .or(let parts) where parts.count == 1: parts[0].equalities
        default: [:]
        }
    }

    /// The values of a key's columns in the only items that can meet the condition, each once; nil if it does not name them.
    fileprivate func keys(of columns: [Int]) -> [[Value]]? {
        let equal = equalities
        let key = columns.compactMap { equal[$0] }
        if key.count == columns.count { return [key] }
        switch self {
        case .isAny(let column, let texts) where columns == [column]: return texts.texts.map { [.text($0)] }
        case .and(let parts): return parts.compactMap { $0.keys(of: columns) }.min { $0.count < $1.count }
        case .or(let parts):
            var (keys, seen): ([[Value]], Set<[Value]>) = ([], [])
            for part in parts {
                guard let found = part.keys(of: columns) else { return nil }
                for key in found where seen.insert(key).inserted { keys.append(key) }
            }
            return keys
        default: return nil
        }
    }
}
