import GraphQL
import Tables

extension RowDecision.KeyCondition {
    /// What the filter of a sync says of a key: the first condition of its `and` is that the partition key is equal to a value,
    /// and the second may be on the sort key. Amplify's resolvers query the key then, and ask the rules as in any other query
    /// (reference: authorization, "Reads"). Nil of another filter.
    ///
    /// - Parameter keys: The keys of the table that a filter may name.
    init?(filter: CoercedValue?, _ keys: [KeySchema], of table: Table) {
        guard case .list(let conditions)? = filter?["and"],
            let partition = conditions.first.flatMap({ FieldComparison($0, in: table) }),
            partition.comparison == .eq
        else { return nil }
        let keys = keys.filter { $0.partitionKey == partition.column }
        let sort = conditions.dropFirst().first.flatMap { FieldComparison($0, in: table) }
        let sorted = sort.flatMap { sort in keys.first { $0.sortKeys == [sort.column] } }
        guard let key = sorted ?? keys.first else { return nil }
        self.init(key: key, partitionKey: partition.value, hasSortArgument: sorted != nil, sort: nil)
        guard sorted != nil, let sort else { return }
        self.sort = SortCondition(sortOperator: sort.comparison, operands: [[sort.value]])
    }

    /// An element of a filter that compares one field by one operator of key conditions.
    private struct FieldComparison {
        let column: Int
        let comparison: SortOperator
        /// The operand; of another operator than `eq` it is not looked at.
        let value: Value

        init?(_ element: CoercedValue, in table: Table) {
            guard element.fields.count == 1, let field = element.fields.first,
                let column = table.position(of: field.name),
                field.value.fields.count == 1, let condition = field.value.fields.first, !condition.value.isNull,
                let comparison = SortOperator(rawValue: condition.name)
            else { return nil }
            (self.column, self.comparison) = (column, comparison)
            value = Value(condition.value, as: table.columns[column].type)
        }
    }
}
