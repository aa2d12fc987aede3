extension Table {
    /// A table of the server's own: columns of text, but for those that are numbers, and keys of one column or two.
    ///
    /// - Parameters:
    ///   - name: The name, which has a dot.
    ///   - integers: The columns that are whole numbers.
    ///   - key: The columns of the primary key: the partition key, and the sort key if there is one.
    ///   - indexes: The secondary indexes, by their names and columns.
    package init(
        system name: String, _ columns: [String], integers: Set<String> = [], key: (String, String?),
        indexes: [(name: String, partition: String, sort: String?)] = []
    ) {
        precondition(Self.isSystem(name), "the name of a system table has a dot")
        func position(_ name: String) -> Int {
            guard let position = columns.firstIndex(of: name) else { preconditionFailure("\(name) is a column") }
            return position
        }
        func schema(_ partition: String, _ sort: String?) -> KeySchema {
            KeySchema(partitionKey: position(partition), sortKeys: sort.map { [position($0)] } ?? [])
        }
        self.init(
            name: name, columns: columns.map { Column(name: $0, type: integers.contains($0) ? .integer : .text) },
            key: schema(key.0, key.1),
            indexes: indexes.map { SecondaryIndex(name: $0.name, key: schema($0.partition, $0.sort)) })
    }
}
