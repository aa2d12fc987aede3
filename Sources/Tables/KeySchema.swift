/// A key by column positions: one partition key, and zero or more sort keys.
///
/// Two or more sort keys are one *composite* sort key: their parts, rendered as text and joined by `#`, are compared
/// as one text. So "10" comes before "9", and `beginsWith` may end inside a part, as in DynamoDB under Amplify.
public struct KeySchema: Sendable, Hashable {
    /// The column all items of one Query share.
    public var partitionKey: Int
    /// The columns that order the items of a Query.
    public var sortKeys: [Int]

    /// Makes a key schema of column positions.
    public init(partitionKey: Int, sortKeys: [Int] = []) {
        self.partitionKey = partitionKey
        self.sortKeys = sortKeys
    }

    /// All positions, the partition key first: the order in which the values of a key are given.
    public var columns: [Int] { [partitionKey] + sortKeys }

    /// Whether the sort key has two or more parts.
    public var isComposite: Bool { sortKeys.count > 1 }
}
